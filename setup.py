"""Build of the Cython extensions; everything else is declared in pyproject.toml."""

import os

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

ROOT = os.path.dirname(os.path.abspath(__file__))
os.chdir(ROOT)

MODULES = ["_primitive", "_memory", "_tape", "_record", "_access", "_operators", "_parray",
           "_pass", "_sweep", "_push", "_forms", "_run", "_operations", "_containers", "_site",
           "_profile", "_walk", "_overlaps", "_signature", "_dispatch"]

extensions = [
    Extension(
        f"hybridad.{name}",
        [f"_ext/hybridad/{name}.pyx"],
        include_dirs=[numpy.get_include()],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
        extra_compile_args=["-O2", "-g0"] if os.name == "posix" else [],
    )
    for name in MODULES
    if os.path.exists(f"_ext/hybridad/{name}.pyx")
]

setup(
    ext_modules=cythonize(
        extensions,
        include_path=["_ext"],
        build_dir="build/cython",
        compiler_directives={"language_level": 3, "binding": False, "auto_pickle": False},
    ),
)
