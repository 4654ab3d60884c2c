"""Numbers that a user gives: seconds that every clock and every wait of Python's takes, shares in percent."""

from __future__ import annotations

import argparse

from conformance.errors import brief

# Waits of Python's overflow beyond some 24 days, its watchdog and its threads beyond some centuries.
MOST_SECONDS = 1_000_000
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def positive(text: str) -> float:
    """Seconds, from a number above zero; raises ArgumentTypeError for another, or one that is too large."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{brief(text)!r} is not a number above zero")
    return _held(number, text)


def duration(text: str) -> float:
    """Seconds, from a number with its unit: 90s, 5m, 1h; without one it is of seconds."""
    number, unit = (text[:-1], UNITS[text[-1:]]) if text[-1:] in UNITS else (text, 1.0)
    try:
        seconds = float(number) * unit
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{brief(text)!r} is no time above zero, such as 90s, 5m or 1h")
    return _held(seconds, text)


def _held(seconds: float, text: str) -> float:
    if seconds > MOST_SECONDS:
        raise argparse.ArgumentTypeError(
            f"{brief(text)!r} is too long: at most {MOST_SECONDS} seconds, which are 11 days"
        )
    return seconds


def percent(text: str) -> float:
    """A share in percent, from 0 to 100; raises ArgumentTypeError for what is none."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 100:
        raise argparse.ArgumentTypeError(f"{brief(text)!r} is no percentage, from 0 to 100")
    return number
