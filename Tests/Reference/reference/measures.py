"""Rates with their intervals, and quantiles (sections 3 and 5)."""

import math

Z_975 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution, for 95 % intervals."""


def rate(count, total):
    """Returns count / total, or None for 0/0."""
    return None if total == 0 else count / total


def wilson(count, total):
    """Returns the 95 % score interval of a rate (Wilson, J. Am. Stat. Assoc. 22, 1927), or None for
    0/0.
    """
    if total == 0:
        return None
    share = count / total
    squared = Z_975 * Z_975
    scale = 1 + squared / total
    middle = (share + squared / (2 * total)) / scale
    half = Z_975 * math.sqrt(share * (1 - share) / total + squared / (4 * total * total)) / scale
    return [max(0, middle - half), min(1, middle + half)]


def rated(name, count, total):
    """Returns the two keys of a rate: NAME and NAME_ci95."""
    return {name: rate(count, total), name + "_ci95": wilson(count, total)}


def nearest_rank(values, percent):
    """Returns the smallest value that at least `percent` of all are not above."""
    position = max(1, math.ceil(percent * len(values) / 100 - 1e-9))
    return sorted(values)[position - 1]


def quantiles(values):
    """Returns p50, p90 and p99, or None where there is nothing to measure."""
    if not values:
        return None
    return {"p%d" % percent: nearest_rank(values, percent) for percent in (50, 90, 99)}
