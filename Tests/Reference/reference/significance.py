"""Whether two rates differ (section 7, compare): tests, intervals and sample sizes.

Sources: R. G. Newcombe, Stat. Med. 17, 1998, method 10; R. Johari, P. Koomen, L. Pekelis, D. Walsh,
Oper. Res. 70, 2022; T. Sato, Biometrics 45, 1989; S. Holm, Scand. J. Stat. 6, 1979.
"""

import math
from fractions import Fraction

from .measures import Z_975, wilson

Z_80 = 0.8416212335729143
"""The 80 % quantile of the normal distribution, for a power of 80 %."""

LEAST_EXPECTED = 5
"""Below this expected count in a cell the exact test is taken."""

PRIOR_DEVIATION = 0.05
"""The standard deviation of the differences that the test of any look expects."""

ALPHA = 0.05


def normal_tails(z):
    """Returns the probability of a standard normal value at least this far from 0."""
    return math.erfc(abs(z) / math.sqrt(2))


def chi_squared_tail(value, degrees):
    """Returns the probability that chi² with so many degrees of freedom is at least `value`.

    It is the regularized upper incomplete gamma function Q(degrees / 2, value / 2), from Q of 1/2
    or 1 by Q(a + 1, x) = Q(a, x) + xᵃ e⁻ˣ / Γ(a + 1).
    """
    half = value / 2
    order = 0.5 if degrees % 2 else 1
    tail = math.erfc(math.sqrt(half)) if degrees % 2 else math.exp(-half)
    while order < degrees / 2:
        tail += half**order * math.exp(-half) / math.gamma(order + 1)
        order += 1
    return tail


class Sample:
    """So many of a side for whom a metric holds; compared exactly, as whole numbers."""

    def __init__(self, count, total):
        self.count = count
        self.total = total

    @property
    def share(self):
        """The rate."""
        return self.count / self.total


def two_sided(a, b):
    """Returns the test of two samples and its p: z with pooled variance, or Fisher's exact test
    where an expected cell is small.
    """
    total, successes = a.total + b.total, a.count + b.count
    rows, columns = (a.total, b.total), (successes, total - successes)
    least = min(Fraction(row * column, total) for row in rows for column in columns)
    if least < LEAST_EXPECTED:
        return "fisher", _fisher(a, b)
    pooled = successes / total
    deviation = math.sqrt(pooled * (1 - pooled) * (1 / a.total + 1 / b.total))
    return "z", normal_tails((b.share - a.share) / deviation)


def _fisher(a, b):
    """Returns the probability of all tables with these margins that are as improbable or more."""
    successes = a.count + b.count

    def ways(count):
        return math.comb(a.total, count) * math.comb(b.total, successes - count)

    counts = range(max(0, successes - b.total), min(a.total, successes) + 1)
    observed = ways(a.count)
    improbable = sum(ways(count) for count in counts if ways(count) <= observed)
    return float(Fraction(improbable, math.comb(a.total + b.total, successes)))


def newcombe(a, b):
    """Returns the 95 % interval of the difference b − a, of the two score intervals."""
    difference = b.share - a.share
    low_a, high_a = wilson(a.count, a.total)
    low_b, high_b = wilson(b.count, b.total)
    down = math.hypot(b.share - low_b, high_a - a.share)
    up = math.hypot(high_b - b.share, a.share - low_a)
    return [difference - down, difference + up]


def anytime(a, b):
    """Returns p and the 95 % interval of the difference b − a that are valid at any look."""
    difference = b.share - a.share
    variance = 0
    for sample in (a, b):
        share = (sample.count + 0.5) / (sample.total + 1)
        variance += share * (1 - share) / sample.total
    prior = PRIOR_DEVIATION**2
    exponent = difference**2 * prior / (2 * variance * (variance + prior))
    p = min(1, math.sqrt((variance + prior) / variance) * math.exp(-exponent))
    logarithms = 2 * math.log(1 / ALPHA) + math.log((variance + prior) / variance)
    half = math.sqrt(variance * (variance + prior) / prior * logarithms)
    return p, [difference - half, difference + half]


def stratified(strata):
    """Returns the Mantel-Haenszel difference over strata, each a pair of samples, with Sato's
    variance and the p of Cochran, Mantel and Haenszel without correction; None where no stratum has
    both sides.
    """
    strata = [(a, b) for a, b in strata if a.total and b.total]
    if not strata:
        return None
    weights = [a.total * b.total / (a.total + b.total) for a, b in strata]
    weighted = [weight * (b.share - a.share) for weight, (a, b) in zip(weights, strata)]
    difference = sum(weighted) / sum(weights)
    first = second = excess = spread = 0
    for a, b in strata:
        total = a.total + b.total
        first += (
            b.total**2 * a.count
            - a.total**2 * b.count
            + a.total * b.total * (a.total - b.total) / 2
        ) / total**2
        second += (b.count * (a.total - a.count) + a.count * (b.total - b.count)) / (2 * total)
        successes = a.count + b.count
        excess += b.count - b.total * successes / total
        if total > 1:
            cells = a.total * b.total * successes * (total - successes)
            spread += cells / (total**2 * (total - 1))
    # Rounding may leave a variance of nothing a little below 0.
    variance = max(0, difference * first + second) / sum(weights) ** 2
    half = Z_975 * math.sqrt(variance)
    p = chi_squared_tail(excess**2 / spread, 1) if spread else 1
    return {
        "difference": difference,
        "difference_ci95": [difference - half, difference + half],
        "p": p,
        "strata": len(strata),
    }


def needed_per_side(baseline, points):
    """Returns how many each side needs to find a change of so many points from a rate with a power
    of 80 %.
    """
    first, change = Fraction(baseline.count, baseline.total), Fraction(str(points)) / 100
    second = first - change if first + change > 1 else first + change
    p1, p2 = float(first), float(second)
    mean = (p1 + p2) / 2
    chance = Z_975 * math.sqrt(2 * mean * (1 - mean))
    power = Z_80 * math.sqrt(p1 * (1 - p1) + p2 * (1 - p2))
    return math.ceil((chance + power) ** 2 / (p1 - p2) ** 2)


def holm(values):
    """Returns the p of several tests, corrected (Holm), in the order given."""
    corrected = [None] * len(values)
    least = 0
    for tested, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        least = max(least, min(1, (len(values) - tested) * values[place]))
        corrected[place] = least
    return corrected


def homogeneity(samples):
    """Returns chi² of the rates of several sides, or None where no two have anybody. Where nobody
    or everybody counts there is no difference.
    """
    samples = [sample for sample in samples if sample.total]
    total = sum(sample.total for sample in samples)
    successes = sum(sample.count for sample in samples)
    if len(samples) < 2:
        return None
    if successes in (0, total):
        return {"chi2": 0, "df": len(samples) - 1, "p": 1}
    pooled = successes / total
    value = sum(
        (sample.count - sample.total * pooled) ** 2 / (sample.total * pooled * (1 - pooled))
        for sample in samples
    )
    degrees = len(samples) - 1
    return {"chi2": value, "df": degrees, "p": chi_squared_tail(value, degrees)}


def ratio_fit(first, second, ratio):
    """Returns chi² of two sizes against the ratio that was meant, a pair of numbers."""
    total = first + second
    expected = [total * part / sum(ratio) for part in ratio]
    value = sum((size - mean) ** 2 / mean for size, mean in zip((first, second), expected))
    p = chi_squared_tail(value, 1)
    return {"chi2": value, "p": p, "suspect": p < 0.001}
