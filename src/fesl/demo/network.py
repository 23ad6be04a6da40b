"""A roadside air-quality network, made on the spot.

Hidden from the learner, a street has traffic with rush hours, wind that turns up and dies down, sun and temperature
with the time of day, and an inversion that traps the air on some nights. Sensors see mixtures of these in their own
units, with their own gains, offsets and noise. The question in every hour: is the nitrogen dioxide at the reference
station, whose analysis comes too late to warn anybody, above its limit?
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import product

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats

#: One row an hour; fifty days a generation of sensors; three days in which both are there.
DAY, DAYS, OVERLAP = 24, 50, 72
START = datetime(2026, 3, 2)
#: The limit of the reference station, in micrograms a cubic metre.
LIMIT = 40.0

#: Every kind of sensor hangs at each of these places.
SITES = ("bridge", "school", "square")
#: What a sensor is called in each generation, and how it reads (traffic, stillness, warmth, sunlight, inversion).
KINDS: tuple[tuple[tuple[str, str, str], tuple[float, ...], float], ...] = (
    (("no2_ppb", "no2_mV", "no2_ugm3"), (1.0, 0.9, -0.2, -0.5, 0.6), 0.45),
    (("co_ppm", "co_mV", "co_mgm3"), (1.1, 0.6, -0.1, 0.0, 0.4), 0.5),
    (("ozone_ppb", "ozone_kOhm", "ozone_ugm3"), (-0.6, -0.5, 0.5, 0.9, -0.3), 0.5),
    (("pm25_ugm3", "pm25_counts", "pm25_mgm3"), (0.5, 1.0, -0.3, 0.0, 0.9), 0.5),
    (("noise_dB", "noise_mPa", "noise_dBA"), (1.2, -0.3, 0.0, 0.2, 0.0), 0.5),
    (("vehicles_h", "loop_Hz", "radar_h"), (1.3, 0.0, 0.0, 0.1, 0.0), 0.5),
)
#: Sensors that are never replaced: name, how it reads, noise, gain, offset.
STAY: tuple[tuple[str, tuple[float, ...], float, float, float], ...] = (
    ("mast.wind_ms", (0.0, -1.0, 0.0, 0.1, -0.2), 0.6, 1.4, 3.1),
    ("mast.temperature_C", (0.0, 0.1, 1.0, 0.5, -0.4), 0.4, 4.5, 11.0),
    ("mast.humidity_pct", (0.0, 0.3, -0.8, -0.3, 0.6), 0.5, 12.0, 68.0),
)
#: These two have troubles of their own.
FREEZES, BLINKS = "mast.humidity_pct", "mast.wind_ms"


@dataclass(frozen=True)
class Network:
    """A table of readings (NaN: not observed), the alarms to foretell, the names of the columns, the time of each
    row, and the rows from which on a generation is gone."""

    X: Floats
    alarm: npt.NDArray[np.bool_]
    names: list[str]
    times: list[str]
    replaced: list[int]


def network(seed: int = 0, days: int = DAYS) -> Network:
    """Three generations of sensors, each in use for so many days.

    >>> found = network(days=10)
    >>> found.X.shape, found.names[0], found.times[0], found.replaced
    ((720, 57), 'a.bridge.no2_ppb', '2026-03-02 00:00', [240, 480])
    """
    rng = np.random.default_rng(seed)
    n = 3 * days * DAY
    street = _street(n, rng)
    alarm = _reference(street) > LIMIT
    columns, names = [], []
    replaced = [days * DAY, 2 * days * DAY]
    for g, letter in enumerate("abc"):
        for i, (site, (called, reads, noise)) in enumerate(product(SITES, KINDS)):
            # a batch is taken down within three hours, sensor by sensor
            born = 0 if g == 0 else replaced[g - 1] - OVERLAP
            dies = n if g == 2 else replaced[g] - i // 6
            values = _sensor(street, reads, noise, rng, gain=10.0 ** rng.uniform(-1, 3))
            columns.append(np.where((np.arange(n) >= born) & (np.arange(n) < dies), values, np.nan))
            names.append(f"{letter}.{site}.{called[g]}")
    for name, reads, noise, gain, offset in STAY:
        columns.append(_sensor(street, reads, noise, rng, gain, offset))
        names.append(name)
    X = np.column_stack(columns)
    _trouble(X, names, rng)
    times = [(START + timedelta(hours=i)).isoformat(" ", "minutes") for i in range(n)]
    return Network(X, alarm, names, times, replaced)


def _street(n: int, rng: np.random.Generator) -> Floats:
    """n x 5: traffic, stillness of the air, warmth, sunlight, inversion; each of about unit size."""
    hour = np.arange(n) % 24.0
    rush = np.exp(-(((hour - 8.0) / 1.6) ** 2)) + 0.9 * np.exp(-(((hour - 17.5) / 2.2) ** 2))
    weekend = np.where(np.arange(n) // DAY % 7 >= 5, 0.45, 1.0)
    traffic = 2.6 * (rush * weekend - 0.25) + 0.6 * _drift(n, 1.5, rng)
    still = _drift(n, 5.0, rng)
    sun = np.maximum(0.0, np.sin((hour - 6.0) / 12.0 * np.pi)) * (1.0 + 0.3 * _drift(n, 4.0, rng))
    warmth = 0.9 * np.sin((hour - 9.0) / 24.0 * 2.0 * np.pi) + 0.7 * _drift(n, 48.0, rng)
    night = (hour < 9.0) | (hour > 19.0)
    inversion = np.where(night, 1.0, 0.1) * np.maximum(0.0, _drift(n, 10.0, rng))
    return np.column_stack([traffic, still, warmth, 1.6 * sun - 0.5, inversion])


def _drift(n: int, memory: float, rng: np.random.Generator) -> Floats:
    """A wandering of unit size that forgets within so many rows."""
    keep = np.exp(-1.0 / memory)
    noise = rng.normal(size=n) * np.sqrt(1.0 - keep**2)
    out, v = np.empty(n), float(rng.normal())
    for i, e in enumerate(noise.tolist()):
        v = keep * v + e
        out[i] = v
    return out


def _reference(street: Floats) -> Floats:
    """Nitrogen dioxide at the reference station."""
    traffic, still, warmth, sun, inversion = street.T
    return np.asarray(LIMIT + 9.0 * traffic + 11.0 * still - 2.0 * warmth - 4.0 * sun + 8.0 * inversion)


def _sensor(
    street: Floats,
    reads: tuple[float, ...],
    noise: float,
    rng: np.random.Generator,
    gain: float,
    offset: float | None = None,
) -> Floats:
    own = np.array(reads) * rng.uniform(0.75, 1.25, len(reads)) + 0.35 * rng.normal(size=len(reads))
    seen = street @ own + noise * rng.normal(size=len(street))
    return np.asarray(gain * seen + (gain * rng.uniform(2.0, 6.0) if offset is None else offset))


def _trouble(X: Floats, names: list[str], rng: np.random.Generator) -> None:
    """One sensor freezes for five days, one drops four of ten readings from the sixth part of the stream on."""
    n = len(X)
    j = names.index(FREEZES)
    frozen = slice(n // 2, n // 2 + min(5 * DAY, n // 4))
    X[frozen, j] = X[frozen.start, j]
    k = names.index(BLINKS)
    lost = (rng.random(n) < 0.4) & (np.arange(n) > n // 6)
    X[lost, k] = np.nan
