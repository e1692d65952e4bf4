"""Property values: their text, their order, and dotted versions (sections 3 and 5)."""

import math
import re
from decimal import Decimal


def is_number(value):
    """Returns whether a JSON value is a number; booleans are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def reads_as_number(text):
    """Returns whether a text is written like a JSON number."""
    return re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", text) is not None


def number_of(value):
    """Returns the number that a value is, or that a text is written like, else None."""
    if is_number(value):
        return value
    return float(value) if isinstance(value, str) and reads_as_number(value) else None


def shortest(text):
    """Returns the number that a text is written like, whatever the form, or None where it is none
    or where a double does not hold it exactly.
    """
    if not reads_as_number(text) or math.isinf(float(text)):
        return None
    number = float(text)
    number = int(number) if number.is_integer() else number
    return number if Decimal(as_text(number)) == Decimal(text) else None


def compare_numbers(left, right):
    """Returns -1, 0 or 1 for two numbers."""
    return (left > right) - (left < right)


def as_text(value):
    """Returns a value as it is shown: whole numbers without a fraction, booleans in lower case."""
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return value if isinstance(value, str) else repr(value)


def identity(value):
    """Returns a key that tells 1 from true and from "1", which are one for Python or as texts."""
    if isinstance(value, bool):
        return ("boolean", value)
    if is_number(value):
        return ("number", value)
    return (type(value).__name__, value)


def equal(left, right):
    """Returns whether two JSON values are the same; true is not 1."""
    return identity(left) == identity(right)


def segment_rank(value):
    """Returns a sort key of a segment: numbers by value, then texts by bytes, `true` and `false`
    among them, null last.
    """
    if value is None:
        return (2,)
    if is_number(value):
        return (0, value)
    return (1, as_text(value).encode())


def _parse_version(text):
    """Returns the fields and the pre-release suffix of a version, or None if it begins with no
    number.
    """
    match = re.match(r"(\d+(?:\.\d+)*)-?(.*)$", text.split("+")[0])
    if match is None:
        return None
    return [int(field) for field in match[1].split(".")], match[2]


def compare_versions(left, right):
    """Returns -1, 0 or 1 for two dotted versions, or None where one is not a version.

    Missing fields are 0, and a pre-release suffix is less than none.
    """
    first, second = _parse_version(left), _parse_version(right)
    if first is None or second is None:
        return None
    length = max(len(first[0]), len(second[0]))
    fields = [version[0] + [0] * (length - len(version[0])) for version in (first, second)]
    if fields[0] != fields[1]:
        return -1 if fields[0] < fields[1] else 1
    if first[1] == second[1]:
        return 0
    if first[1] == "":
        return 1
    if second[1] == "":
        return -1
    return -1 if first[1] < second[1] else 1


def holds(operator, comparison):
    """Returns whether the result of a comparison (-1, 0 or 1) satisfies an operator."""
    return {
        "<": comparison < 0,
        "<=": comparison <= 0,
        ">": comparison > 0,
        ">=": comparison >= 0,
        "=": comparison == 0,
    }[operator]


def is_in_range(version, bounds):
    """Returns whether `ctx.app_version` is in the `app_versions` of a flow, such as ">=3 <5.2"
    (section 6).
    """
    if not isinstance(version, str):
        return False
    for operator, bound in re.findall(r"(>=|<=|>|<|=) *([^ ]+)", bounds):
        comparison = compare_versions(version, bound)
        if comparison is None or not holds(operator, comparison):
            return False
    return True
