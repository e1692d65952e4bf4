"""Points in time as milliseconds since the epoch, spans, and the days, weeks and months of a zone
(sections 1 and 3).
"""

import re
from datetime import datetime, time as clock, timedelta, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
UNIT_MILLISECONDS = {
    "ms": 1,
    "s": 1000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
    "w": 604_800_000,
}


def parse_time(value):
    """Returns the milliseconds of an RFC 3339 time, cut to the millisecond, or of a number, which
    is one already.
    """
    if isinstance(value, int):
        return value
    match = re.fullmatch(
        r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|z|[+-]\d\d:\d\d)", value
    )
    offset = "+00:00" if match[4] in "Zz" else match[4]
    moment = datetime.fromisoformat(match[1] + "T" + match[2] + offset)
    return int(moment.timestamp()) * 1000 + int((match[3] or "0").ljust(3, "0")[:3])


def format_time(milliseconds):
    """Returns a time as the program prints it."""
    moment = EPOCH + timedelta(milliseconds=milliseconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (milliseconds % 1000)


def parse_span(text):
    """Returns the milliseconds of a span such as 500ms, 90s or 7d."""
    match = re.fullmatch(r"(\d+)(ms|s|m|h|d|w)", text)
    return int(match[1]) * UNIT_MILLISECONDS[match[2]]


TIME_KEYS = ("day", "week", "month", "hour", "weekday")
"""The keys of `--by` that a time is cut by."""

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def time_value(milliseconds, key, zone):
    """Returns the day, week, month, hour or weekday of a time."""
    if key == "hour":
        return "%02d" % local_time(milliseconds, zone).hour
    if key == "weekday":
        return WEEKDAYS[local_time(milliseconds, zone).weekday()]
    return bucket_name(bucket_start(milliseconds, key, zone), key)


def local_time(milliseconds, zone):
    """Returns what the calendar and the clock of a zone show."""
    return (EPOCH + timedelta(milliseconds=milliseconds)).astimezone(zone).replace(tzinfo=None)


def from_local_time(moment, zone):
    """Returns the milliseconds at which the calendar and the clock of a zone show this."""
    return (moment.replace(tzinfo=zone) - EPOCH) // timedelta(milliseconds=1)


def short_time(milliseconds, zone):
    """Returns the date of a midnight in a zone, None for any other time."""
    moment = local_time(milliseconds, zone)
    return moment.date().isoformat() if moment.time() == clock(0) else None


def bucket_start(milliseconds, unit, zone):
    """Returns the first day of the day, week (from Monday) or month that a time is in."""
    day = local_time(milliseconds, zone).date()
    if unit == "day":
        return day
    if unit == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1)


def next_bucket(day, unit):
    """Returns the first day of the bucket after the one that begins on `day`."""
    if unit == "day":
        return day + timedelta(days=1)
    if unit == "week":
        return day + timedelta(days=7)
    return (day.replace(day=28) + timedelta(days=4)).replace(day=1)


def bucket_name(day, unit):
    """Returns 2026-11-20, 2026-W47 or 2026-11 for the bucket that begins on `day`."""
    if unit == "day":
        return day.isoformat()
    if unit == "week":
        year, week, _ = day.isocalendar()
        return "%d-W%02d" % (year, week)
    return day.isoformat()[:7]


def first_instant(day, zone):
    """Returns the milliseconds at which a day begins in a zone."""
    return int(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp() * 1000)
