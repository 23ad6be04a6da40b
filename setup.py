"""Builds the compiled core. Where there is no compiler the install succeeds without it, and NumPy runs instead."""

from __future__ import annotations

import os

from setuptools import Extension, setup


def extensions() -> list[Extension]:
    if os.environ.get("FESL_PURE", "0") not in ("", "0"):
        return []
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    modules = [
        Extension(
            f"fesl._compiled.{name}",
            [f"src/fesl/_compiled/{name}.pyx"],
            extra_compile_args=[] if os.name == "nt" else ["-O3", "-g0", "-fno-math-errno"],
            depends=[f"src/fesl/_compiled/{header}.h" for header in ("vector", "local")],
        )
        for name in ("core", "portfolio")
    ]
    built = list(cythonize(modules, language_level=3))
    for module in built:
        module.optional = True  # after cythonize, which forgets it
    return built


setup(ext_modules=extensions())
