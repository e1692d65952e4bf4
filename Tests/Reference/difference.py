"""The first difference between what the program printed and what the reference expects."""

UNORDERED = ("values",)
"""Objects whose keys are in no order of their own."""

SENTENCES = ("verdict",)
"""Keys of sentences, which are not compared."""

QUANTILES = ("p10", "p25", "p50", "p75", "p90", "p95", "p99")
QUANTILE_TOLERANCE = 0.01
"""Quantiles are within 1 % of exact (specification, section 3)."""

ROUNDING_TOLERANCE = 1e-9


def first_difference(printed, expected, path=""):
    """Returns a sentence about the first difference, or None; the keys of objects must be in the
    same order.
    """
    if isinstance(expected, dict) and isinstance(printed, dict):
        return _object_difference(printed, expected, path)
    if isinstance(expected, list) and isinstance(printed, list):
        for number, (left, right) in enumerate(zip(printed, expected)):
            difference = first_difference(left, right, "%s[%d]" % (path, number))
            if difference:
                return difference
        if len(printed) != len(expected):
            return "%s: %d elements printed, %d expected" % (path, len(printed), len(expected))
        return None
    if _is_same(printed, expected, path.rsplit("/", 1)[-1]):
        return None
    return "%s: %r printed, %r expected" % (path, printed, expected)


def _object_difference(printed, expected, path):
    left, right = [key for key in printed if key not in SENTENCES], list(expected)
    if path.rsplit("/", 1)[-1] in UNORDERED:
        left, right = sorted(left), sorted(right)
    if left != right:
        return "%s: keys %s printed, %s expected" % (path, left, right)
    for key in expected:
        difference = first_difference(printed[key], expected[key], path + "/" + key)
        if difference:
            return difference
    return None


def _is_same(printed, expected, key):
    numbers = [
        isinstance(value, (int, float)) and not isinstance(value, bool)
        for value in (printed, expected)
    ]
    if all(numbers):
        tolerance = ROUNDING_TOLERANCE * max(1, abs(expected))
        if key in QUANTILES:
            tolerance += QUANTILE_TOLERANCE * abs(expected)
        return abs(printed - expected) <= tolerance
    return type(printed) is type(expected) and printed == expected
