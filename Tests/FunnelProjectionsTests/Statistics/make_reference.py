#!/usr/bin/env python3
"""Prints what SciPy and statsmodels say about random and extreme cases, as JSON: the reference that ReferenceTests compares with.

    python3 -m venv venv && venv/bin/pip install scipy statsmodels
    venv/bin/python make_reference.py > reference.json

The same seed gives the same cases. Fisher's test is computed a second time with exact integers; the script fails if SciPy differs.
"""

import argparse
import json
import math
import platform
import random
import warnings
from fractions import Fraction

import numpy
import scipy
import statsmodels
from scipy.optimize import brentq
from scipy.stats import chi2, chi2_contingency, chisquare, fisher_exact, norm
from scipy.stats.contingency import expected_freq
from statsmodels.stats.contingency_tables import StratifiedTable
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    proportions_ztest,
    samplesize_proportions_2indep_onetail,
)

# Beyond this total the exact integers of Fisher's test take too long.
EXACT_TOTAL_MAX = 20_000

EXTREMES = [
    # One group, or hardly more.
    ((0, 1), (0, 1)), ((0, 1), (1, 1)), ((1, 1), (0, 1)), ((1, 1), (1, 1)), ((1, 1), (0, 2)), ((1, 2), (1, 1)),
    # None and all, which have no variance.
    ((0, 10), (0, 20)), ((0, 10), (0, 10)), ((10, 10), (0, 20)), ((10, 10), (0, 10)), ((20, 20), (7, 7)),
    ((0, 1_000_000), (0, 3)), ((1_000_000, 1_000_000), (999_999, 999_999)), ((0, 400), (400, 400)),
    # Equal shares of different totals.
    ((1, 3), (2, 6)), ((250, 500), (240, 480)), ((7, 100_000), (14, 200_000)),
    # An expected cell of exactly 5, and next to it.
    ((5, 10), (5, 10)), ((3, 10), (7, 10)), ((4, 10), (5, 10)), ((10, 19), (10, 20)), ((2, 50), (8, 50)), ((2, 50), (7, 50)),
    # Millions, with a z test and with Fisher's.
    ((500_000, 1_000_000), (501_000, 1_000_000)), ((123_456, 7_654_321), (130_000, 7_777_777)), ((1, 5_000_000), (6, 5_000_000)),
    ((0, 3_000_000), (9, 4_000_000)), ((3_999_998, 4_000_000), (4_000_000, 4_000_000)), ((2, 12), (3_000_000, 6_000_000)),
    ((1, 1), (1, 9_000_000)), ((4_000_000, 8_000_000), (4, 4)), ((900, 1_000), (3, 2_000_000)),
    # So different that p is tiny.
    ((10, 200), (190, 200)), ((0, 60), (60, 60)), ((100, 10_000), (900, 10_000)),
    # Worked examples of the literature.
    ((48, 80), (56, 70)), ((3, 10), (9, 10)), ((2, 7), (6, 7)), ((0, 29), (5, 56)), ((1, 4), (3, 4)), ((2, 17), (10, 13)),
]


def random_side(rng):
    kind = rng.choice(["small", "medium", "rare", "huge"])
    if kind == "small":
        total = rng.randint(1, 30)
    else:
        total = int(10 ** rng.uniform(1, {"medium": 3.5, "rare": 6, "huge": 6.9}[kind]))
    if kind == "rare":
        count = min(total, rng.randint(0, 12))
        return (count if rng.random() < 0.5 else total - count, total)
    return (rng.randint(0, total), total)


def random_pair(rng):
    a = random_side(rng)
    if rng.random() < 0.5:
        return (a, random_side(rng))
    # The same rate but for chance, as in most experiments.
    total = max(1, round(a[1] * rng.uniform(0.5, 2)))
    rate = a[0] / a[1]
    count = round(rng.gauss(rate * total, 1.5 * math.sqrt(rate * (1 - rate) * total)))
    return (a, (min(total, max(0, count)), total))


def exact_fisher(a, b):
    """The sum of the probabilities of all tables as improbable or more, in integers."""
    counted, total = a[0] + b[0], a[1] + b[1]
    first, last = max(0, counted - b[1]), min(a[1], counted)
    # The number of arrangements of each table, each from the one before.
    tables = [math.comb(a[1], first) * math.comb(b[1], counted - first)]
    for cell in range(first, last):
        above = (a[1] - cell) * (counted - cell)
        tables.append(tables[-1] * above // ((cell + 1) * (b[1] - counted + cell + 1)))
    observed = tables[a[0] - first]
    improbable = sum(table for table in tables if table * 10**7 <= observed * (10**7 + 1))
    return float(Fraction(improbable, math.comb(total, counted)))


def fisher(a, b):
    p = float(fisher_exact([[a[0], a[1] - a[0]], [b[0], b[1] - b[0]]]).pvalue)
    if a[1] + b[1] <= EXACT_TOTAL_MAX:
        exact = exact_fisher(a, b)
        if not math.isclose(p, exact, rel_tol=1e-8, abs_tol=1e-300):
            raise SystemExit(f"Fisher's test of {a} and {b}: SciPy has {p}, exact integers {exact}")
    return p


def z_test(a, b):
    if a[0] + b[0] in (0, a[1] + b[1]):
        return 1.0
    return float(proportions_ztest([b[0], a[0]], [b[1], a[1]])[1])


def sample_size(p1, p2):
    return None if p1 == p2 else math.ceil(samplesize_proportions_2indep_onetail(p1 - p2, p2, 0.8))


def change_size(rate, change):
    return sample_size(rate, rate - change if rate + change > 1 else rate + change)


# The standard deviation of the mixture of the test that holds at any look.
MIXTURE = 0.05


def anytime_variance(a, b):
    """Returns the variance of the difference, with half a group added to those counted and to those not counted."""
    shares = [((count + 0.5) / (total + 1), total) for count, total in (a, b)]
    return sum(share * (1 - share) / total for share, total in shares)


def anytime_log_ratio(distance, variance):
    """Returns the logarithm of the mixture likelihood ratio of a distance from the hypothesis, from the two densities themselves."""
    mixed = norm.logpdf(distance, scale=math.sqrt(variance + MIXTURE**2))
    return float(mixed - norm.logpdf(distance, scale=math.sqrt(variance)))


def anytime(a, b):
    """Returns the p, 1 / ratio, and the ends of the interval: the differences whose own p is 0.05, found by bisection."""
    variance = anytime_variance(a, b)
    difference = float(Fraction(*b) - Fraction(*a))
    p = min(1.0, math.exp(-anytime_log_ratio(difference, variance)))
    half = brentq(lambda distance: anytime_log_ratio(distance, variance) - math.log(20), 0, 1e3, xtol=1e-15, rtol=1e-14)
    return p, difference - half, difference + half


def comparison(a, b):
    low, high = confint_proportions_2indep(b[0], b[1], a[0], a[1], method="newcomb", compare="diff", alpha=0.05)
    anytime_p, anytime_low, anytime_high = anytime(a, b)
    expected = expected_freq([[a[0], a[1] - a[0]], [b[0], b[1] - b[0]]])
    z_p, fisher_p = z_test(a, b), fisher(a, b)
    test = "fisher" if expected.min() < 5 else "z"
    return {
        "a": a,
        "b": b,
        "difference": float(Fraction(*b) - Fraction(*a)),
        "low": float(low),
        "high": float(high),
        "lift": None if a[0] == 0 else float(Fraction(*b) / Fraction(*a) - 1),
        "test": test,
        "p": fisher_p if test == "fisher" else z_p,
        "zP": z_p,
        "fisherP": fisher_p,
        "anytimeP": anytime_p,
        "anytimeLow": anytime_low,
        "anytimeHigh": anytime_high,
    }


def comparisons(rng, count):
    return [comparison(a, b) for a, b in EXTREMES + [random_pair(rng) for _ in range(count)]]


def holm(rng, count):
    lists = [[0.5], [0.0, 1.0], [1.0, 1.0, 1.0], [0.01, 0.01, 0.01, 0.01], [0.01, 0.04, 0.03, 0.005], [0.04, 0.03, 0.02, 0.01]]
    lists += [[rng.random() ** rng.choice([1, 4, 30]) for _ in range(rng.randint(1, 20))] for _ in range(count)]
    return [{"p": p, "adjusted": [float(q) for q in multipletests(p, method="holm")[1]]} for p in lists]


def ratios(rng, count):
    cases = [
        (500, 480, 1, 1), (1, 0, 1, 1), (0, 1, 1, 1), (7, 7, 50, 50), (100, 300, 1, 3), (0, 40, 1, 1), (5_000_000, 5_010_000, 1, 1),
        (600, 400, 50, 50), (44_000, 45_000, 1, 1), (821_588, 815_482, 1, 1), (333, 667, 33.3, 66.7),
    ]
    for _ in range(count):
        a, b = rng.choice([(1, 1), (50, 50), (1, 2), (90, 10), (0.5, 0.25)])
        total = int(10 ** rng.uniform(0.5, 6.9))
        size = round(rng.gauss(total * a / (a + b), 2 * math.sqrt(total * a * b) / (a + b)))
        size = min(total, max(0, size))
        cases.append((size, total - size, a, b))
    rows = []
    for size_a, size_b, a, b in cases:
        total = size_a + size_b
        chi2, p = chisquare([size_a, size_b], [total * a / (a + b), total * b / (a + b)])
        rows.append({"a": size_a, "b": size_b, "ratio": [a, b], "chiSquared": float(chi2), "p": float(p)})
    return rows


def sample_sizes(rng, count):
    rates = [(0.1, 0.2), (0.2, 0.1), (0, 1), (0, 0.5), (0.5, 0.5), (0.5, 0.51), (0.001, 0.0012), (0.999, 1), (0, 1e-6)]
    rates += [(rng.random(), rng.random()) for _ in range(count)]
    return [{"rates": pair, "perSide": sample_size(*pair)} for pair in rates]


def changes(rng, count):
    cases = [(0.5, 0.05), (0.95, 0.05), (0.96, 0.05), (1.0, 0.05), (0.0, 0.05), (0.528, 0.05), (0.3, 0.005), (0.5, 0.5), (0.51, 0.5)]
    cases += [(rng.random(), rng.choice([0.5, 1, 2, 5, 10]) / 100) for _ in range(count)]
    return [{"rate": rate, "change": change, "perSide": change_size(rate, change)} for rate, change in cases]


def homogeneity(rng, count):
    """Pearson's test of three to ten sides, some of them small."""
    cases = [[(10, 50), (12, 50), (20, 50)], [(0, 5), (0, 6), (1, 7)], [(264, 500), (279, 480), (300, 510)]]
    for _ in range(count):
        rate = rng.random()
        sides = []
        for _ in range(rng.randint(3, 10)):
            total = int(10 ** rng.uniform(0.5, 5))
            side_rate = min(1, max(0, rng.gauss(rate, rng.choice([0, 0.02, 0.2]))))
            sides.append((sum(rng.random() < side_rate for _ in range(min(total, 2000))), min(total, 2000)))
        cases.append(sides)
    rows = []
    for sides in cases:
        counted = sum(count for count, _ in sides)
        if counted in (0, sum(total for _, total in sides)):
            continue
        statistic, p, freedom, _ = chi2_contingency([[count, total - count] for count, total in sides], correction=False)
        rows.append({"sides": sides, "chiSquared": float(statistic), "degreesOfFreedom": int(freedom), "p": float(p)})
    return rows


def chi_tails():
    cases = [(x, freedom) for x in (0, 0.1, 1, 3.84, 20, 150, 700) for freedom in range(1, 10)]
    return [{"x": x, "degreesOfFreedom": freedom, "upper": float(chi2.sf(x, freedom))} for x, freedom in cases]


def risk_difference(strata):
    """Returns Mantel and Haenszel's risk difference with Sato's standard error, computed with exact fractions."""
    weight = difference = p_sum = q_sum = Fraction(0)
    for (xa, na), (xb, nb) in strata:
        n = na + nb
        weight += Fraction(na * nb, n)
        difference += Fraction(na * nb, n) * (Fraction(xb, nb) - Fraction(xa, na))
        p_sum += (Fraction(nb * nb * xa - na * na * xb) + Fraction(na * nb * (na - nb), 2)) / n**2
        q_sum += Fraction(xb * (na - xa) + xa * (nb - xb), 2 * n)
    difference /= weight
    variance = max(Fraction(0), difference * p_sum + q_sum) / weight**2
    return float(difference), math.sqrt(variance)


def stratified(rng, count):
    cases = [
        # Simpson's paradox: C. R. Charig et al., British Medical Journal 292 (1986), open surgery against nephrolithotomy by size of stone.
        [((81, 87), (234, 270)), ((192, 263), (55, 80))],
        [((3, 10), (7, 12))], [((0, 4), (1, 5)), ((5, 5), (4, 4))], [((0, 4), (0, 5)), ((0, 3), (0, 2))],
    ]
    for _ in range(count):
        effect = rng.choice([0, 0.05, -0.1])
        strata = []
        for _ in range(rng.randint(1, 8)):
            rate = rng.uniform(0.1, 0.9)
            na, nb = (int(10 ** rng.uniform(0.3, 3)) for _ in range(2))
            xa = sum(rng.random() < rate for _ in range(na))
            xb = sum(rng.random() < rate + effect for _ in range(nb))
            strata.append(((xa, na), (xb, nb)))
        cases.append(strata)
    rows = []
    for strata in cases:
        difference, error = risk_difference(strata)
        half = float(norm.ppf(0.975)) * error
        tables = [numpy.array([[xb, nb - xb], [xa, na - xa]], dtype=float) for (xa, na), (xb, nb) in strata]
        varies = any(0 < xa + xb < na + nb for (xa, na), (xb, nb) in strata)
        p = float(StratifiedTable(tables).test_null_odds(correction=False).pvalue) if varies else 1.0
        rows.append({"strata": strata, "difference": difference, "low": difference - half, "high": difference + half, "p": p})
    return rows


def tails():
    return [{"z": z, "upper": float(norm.sf(z)), "twoSided": float(2 * norm.sf(abs(z)))} for z in (-9, -1.5, 0, 0.3, 1.96, 5, 12, 37)]


def main():
    parser = argparse.ArgumentParser(description="Prints reference values of SciPy and statsmodels as JSON.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=60, help="the number of random comparisons; of the rest there are a third")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    # statsmodels warns of divisions by the variance of shares of 0 and 1, which the interval does not use.
    warnings.simplefilter("ignore")
    lists = {
        "comparisons": comparisons(rng, options.cases),
        "holm": holm(rng, options.cases // 3),
        "ratios": ratios(rng, options.cases // 3),
        "sampleSizes": sample_sizes(rng, options.cases // 3),
        "changes": changes(rng, options.cases // 3),
        "homogeneity": homogeneity(rng, options.cases // 3),
        "stratified": stratified(rng, options.cases // 3),
        "chiTails": chi_tails(),
        "tails": tails(),
    }
    modules = {"numpy": numpy, "scipy": scipy, "statsmodels": statsmodels}
    head = {
        "versions": {"python": platform.python_version()} | {name: module.__version__ for name, module in modules.items()},
        "seed": options.seed,
        "z975": float(norm.ppf(0.975)),
        "z80": float(norm.ppf(0.8)),
    }
    parts = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    for key, rows in lists.items():
        parts.append(f"{json.dumps(key)}: [\n  " + ",\n  ".join(json.dumps(row) for row in rows) + "\n]")
    print("{\n" + ",\n".join(parts) + "\n}")


if __name__ == "__main__":
    main()
