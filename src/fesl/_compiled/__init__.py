"""The core, compiled: `core.pyx`. Absent where no compiler was found; `FESL_PURE=1` switches it off."""
