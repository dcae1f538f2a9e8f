"""Cases of `hybridad.rules.fft`: every norm, even and odd lengths, padded and cropped."""

import itertools

import numpy as np

from tests.rules.cases import arg, case

NORMS = (None, "ortho", "forward")

# one axis: (the transform, for complex arguments, its name)

for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    _p = getattr(np.fft, _name)
    _dtypes = "fd" if _name in ("rfft", "ihfft") else "fdD"
    for _length in (4, 5):
        case(_p, arg(_length), dtypes=_dtypes)
        for _norm, _n in itertools.product(NORMS, (3, 4, 6, 7, 8, 11)):
            case(_p, arg(_length), dtypes=_dtypes, note=f"{_n} {_norm}",
                 call=lambda x, f=_name, n=_n, norm=_norm: getattr(np.fft, f)(x, n, norm=norm))
        case(_p, arg(_length), dtypes=_dtypes, note="backward",
             call=lambda x, f=_name: getattr(np.fft, f)(x, norm="backward"))
    case(_p, arg(4, 3), dtypes=_dtypes, note="axis",
         call=lambda x, f=_name: getattr(np.fft, f)(x, axis=0))
    for _n in (3, 5, 9):
        case(_p, arg(2, 4, 3), dtypes=_dtypes, note=f"axis {_n}",
             call=lambda x, f=_name, n=_n: getattr(np.fft, f)(x, n, -2, "ortho"))
        case(_p, arg(2, 4, 3), dtypes=_dtypes, note=f"axis {_n}",
             call=lambda x, f=_name, n=_n: getattr(np.fft, f)(x, axis=1, n=n))
for _name in ("irfft", "hfft"):
    case(getattr(np.fft, _name), arg(3), note="1 of 3",
         call=lambda x, f=_name: getattr(np.fft, f)(x, 1))
    case(getattr(np.fft, _name), arg(3), note="2 of 3",
         call=lambda x, f=_name: getattr(np.fft, f)(x, 2))

# several axes

for _name in ("fft", "ifft", "rfft", "irfft"):
    _dtypes = "fd" if _name == "rfft" else "fdD"
    for _suffix in ("2", "n"):
        _f = _name + _suffix
        _p = getattr(np.fft, _f)
        case(_p, arg(3, 4), dtypes=_dtypes)
        case(_p, arg(2, 3, 5), dtypes=_dtypes)
        for _norm in NORMS[1:]:
            case(_p, arg(4, 3), dtypes=_dtypes, note=_norm,
                 call=lambda x, f=_f, norm=_norm: getattr(np.fft, f)(x, norm=norm))
        for _s in ((2, 6), (5, 3), (-1, 7)):
            case(_p, arg(2, 3, 4), dtypes=_dtypes, note=f"{_s[0]} {_s[1]}",
                 call=lambda x, f=_f, s=_s: getattr(np.fft, f)(x, s, (0, -1)))
            case(_p, arg(2, 3, 4), dtypes=_dtypes, note=f"{_s[0]} {_s[1]}",
                 call=lambda x, f=_f, s=_s: getattr(np.fft, f)(x, s=s, axes=(2, 1), norm="ortho"))
    _p = getattr(np.fft, _name + "n")
    case(_p, arg(3, 4), dtypes=_dtypes, note="one axis",
         call=lambda x, f=_name + "n": getattr(np.fft, f)(x, axes=(0,)))
    case(_p, arg(2, 2, 3), dtypes=_dtypes, note="three sizes",
         call=lambda x, f=_name + "n": getattr(np.fft, f)(x, (3, 1, 4), (0, 1, 2)))

# shifts and frequencies

for _name in ("fftshift", "ifftshift"):
    _p = getattr(np.fft, _name)
    case(_p, arg(5))
    case(_p, arg(3, 4))
    case(_p, arg(3, 5), call=lambda x, f=_name: getattr(np.fft, f)(x, axes=1), note="axis")
    case(_p, arg(3, 5, 2), call=lambda x, f=_name: getattr(np.fft, f)(x, (0, -2)), note="axes")
for _name in ("fftfreq", "rfftfreq"):
    case(getattr(np.fft, _name), arg(domain="positive"), dtypes="d",
         call=lambda d, f=_name: getattr(np.fft, f)(5, d))
