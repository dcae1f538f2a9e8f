"""Tests of hybridad.trace.fold, module by module."""
