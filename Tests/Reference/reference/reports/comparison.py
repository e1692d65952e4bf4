"""compare: whether two sides of a flow differ (section 7).

The sides are values of a key, two versions, or two periods, the baseline first; a row is a pair of
the baseline and another side. Groups count once they are closed, unless `--open-too`. Where the
later period is not all closed, the two are compared at the same age: the baseline as it stood as
long after its start as the later one stands now, with every group.
"""

import functools
import math
from datetime import timedelta

from ..answers import counted_answers
from ..conditions import path_of, segment_text, shown, value_at
from ..measures import rate, wilson
from ..moments import from_local_time, local_time, short_time
from ..segments import compare_values, counted_groups
from ..significance import (
    Sample,
    anytime,
    homogeneity,
    holm,
    needed_per_side,
    newcombe,
    ratio_fit,
    stratified,
    two_sided,
)
from ..values import as_text, compare_versions

RATIO_WORDS = ("variant", "experiment", "arm", "bucket", "group")
"""The last part of a key whose sides are meant to be of one size."""

SIDES_MAX = 10
TESTED_KEYS = (
    "difference",
    "difference_ci95",
    "lift",
    "test",
    "p",
    "p_holm",
    "anytime_p",
    "anytime_ci95",
    "stratified",
    "needed_per_side",
    "needed_days",
)


class Unanswerable(Exception):
    """There are no two sides to compare, which the program says."""


class Side:
    """One side of one flow version (with `--versions`: of one flow): its groups and answers."""

    def __init__(self, label, flow, groups, answers, question):
        self.label = label
        self.flow = flow
        self.groups = groups
        self.answers = answers
        self.question = question

    @property
    def entered(self):
        """How many groups there are."""
        return len(self.groups)

    def without_mixed(self, key):
        """Returns the side without the groups that have more than one value of a key."""
        return Side(
            self.label,
            self.flow,
            [group for group in self.groups if not is_mixed(group, key)],
            [given for given in self.answers if not is_mixed(given.group, key)],
            self.question,
        )

    def outcomes(self, metric):
        """Returns for each that a metric is of the group, the event it counts by and whether the
        metric holds; or None where the flow lacks the step or permission.
        """
        kind, _, name = metric.partition(":")
        if kind == "conversion":
            return [(group, group.chain.anchor, group.chain.is_completed) for group in self.groups]
        if kind == "reached":
            place = self.flow.index.get(name)
            if place not in self.flow.required:
                return None
            level = self.flow.required.index(place) + 1
            return [
                (group, group.chain.anchor, group.chain.level >= level) for group in self.groups
            ]
        if name not in self.flow.places:
            return None
        good = {"access_rate": ("granted", "limited", "provisional")}.get(kind, ("granted",))
        return [
            (given.group, given.prompt, given.outcome in good)
            for given in self.answers
            if given.permission.name == name
            and (kind != "dialog_grant_rate" or given.outcome in ("granted", "limited", "denied"))
        ]

    def sample(self, metric):
        """Returns for how many of how many a metric holds, or None."""
        outcomes = self.outcomes(metric)
        if outcomes is None:
            return None
        return Sample(sum(holds for _, _, holds in outcomes), len(outcomes))

    def strata(self, metric, key):
        """Returns the samples of a metric by their value of a key."""
        strata = {}
        for group, event, holds in self.outcomes(metric):
            stratum = value_at(key, group, event, self.question)
            sample = strata.setdefault(stratum, Sample(0, 0))
            sample.total += 1
            sample.count += holds
        return strata


class Comparison:
    """The sides of one flow version, or of one flow, the baseline first."""

    def __init__(self, flow, dimension, sides):
        self.flow = flow
        self.dimension = dimension
        self.sides = sides
        self.version = flow.version
        self.is_same_age = False
        self.no_value = 0


def compare_report(groups_at, question):
    """Returns the rows of `funnel compare`.

    `groups_at` returns all groups as they are at a time.
    """
    groups = groups_at(question.now)
    if question.versions is not None:
        comparisons = _by_version(groups, question)
    elif question.versus is not None:
        comparisons = _by_period(groups_at, groups, question)
    else:
        comparisons = _by_value(groups, question)
    return [row for comparison in comparisons for row in _rows(comparison, question)]


# Sides


def _flows(groups, question):
    """Returns the flow versions of the report in order."""
    flows = {group.flow.key: group.flow for group in groups if question.asks_for(group.flow)}
    return [flows[key] for key in sorted(flows)]


def _members(flow, groups, question):
    """Returns the counted groups and answers of a flow version."""
    groups = [group for group in groups if group.flow.key == flow.key]
    counted = question.with_changes(mature=not question.open_too)
    return (
        counted_groups(groups, counted),
        counted_answers(groups, lambda flow: flow.permissions, counted),
    )


def _by_value(groups, question):
    if not question.by:
        raise Unanswerable
    key = question.by[0]
    texts = _side_texts(groups, key, question)
    comparisons = []
    for flow in _flows(groups, question):
        entered, answers = _members(flow, groups, question)
        groups_by_text, answers_by_text = {}, {}
        for group in entered:
            text = value_at(key, group, group.chain.anchor, question)
            groups_by_text.setdefault(text, []).append(group)
        for given in answers:
            text = value_at(key, given.group, given.prompt, question)
            answers_by_text.setdefault(text, []).append(given)
        sides = []
        for text in texts:
            label = "(none)" if text is None else text
            members = groups_by_text.get(text, []), answers_by_text.get(text, [])
            sides.append(Side(label, flow, *members, question))
        comparison = Comparison(flow, key, sides)
        without = groups_by_text.get(None, [])
        if question.drop_mixed:
            without = [group for group in without if not is_mixed(group, key)]
        comparison.no_value = 0 if None in texts else len(without)
        comparisons.append(comparison)
    return comparisons


def _side_texts(groups, key, question):
    """Returns the values that are compared, the baseline first: those of `--sides`, else all that a
    key has where groups enter, closed or not, in ascending order. None is the absent value.
    """
    entered = counted_groups(groups, question)
    known = {value_at(key, group, group.chain.anchor, question) for group in entered}
    if question.sides is not None:
        texts = [side or None for side in question.sides]
    else:
        order = _ascending(key, [group.flow for group in entered])
        texts = sorted(known - {None}, key=functools.cmp_to_key(order))
    if not 2 <= len(texts) <= SIDES_MAX or not known.issuperset(texts):
        raise Unanswerable
    return texts


def _ascending(key, flows):
    """Returns a comparison of two values of a key, as versions where one of the flows says so."""

    def compare(left, right):
        if any(flow.has_versions(path_of(key)) for flow in flows):
            return compare_versions(left, right) or (left > right) - (left < right)
        return compare_values(key, shown(key, flows[0], left), shown(key, flows[0], right))

    return compare


def _by_version(groups, question):
    first, second = question.versions
    flows = {}
    for flow in _flows(groups, question):
        flows.setdefault((flow.app, flow.name), {})[flow.version] = flow
    comparisons = []
    for key in sorted(flows):
        if first not in flows[key] or second not in flows[key]:
            continue
        sides = [
            Side(
                "v%d" % version,
                flows[key][version],
                *_members(flows[key][version], groups, question),
                question,
            )
            for version in (first, second)
        ]
        comparison = Comparison(flows[key][first], "version", sides)
        comparison.version = None
        comparisons.append(comparison)
    return comparisons


def _by_period(groups_at, groups, question):
    if question.since is None:
        raise Unanswerable
    earlier, later = _periods(question)
    difference = later[0] - earlier[0]
    aged_groups = groups_at(question.now - difference)
    comparisons = []
    for flow in _flows(groups, question):
        is_closed = later[1] - 1 + question.window_of(flow) <= question.now
        sides = []
        for period in (earlier, later):
            asked = question.with_changes(since=period[0], until=period[1])
            known = groups
            if not is_closed:
                asked.open_too = True
                if period is earlier:
                    asked.now -= difference
                    known = aged_groups
            label = _period_label(period, question)
            sides.append(Side(label, flow, *_members(flow, known, asked), asked))
        comparison = Comparison(flow, "period", sides)
        comparison.is_same_age = not is_closed
        comparisons.append(comparison)
    return comparisons


def _periods(question):
    """Returns the two periods, each a beginning and an end, the earlier one first."""
    zone = question.zone
    period = (question.since, question.now if question.until is None else question.until)
    if question.versus != "previous":
        return sorted([period, tuple(question.versus)])
    begins = local_time(period[0], zone)
    if question.until is None:
        # As many days as are touched.
        days = (local_time(period[1] - 1, zone).date() - begins.date()).days + 1
        length = timedelta(days=days)
    else:
        length = local_time(period[1], zone) - begins
    return [(from_local_time(begins - length, zone), period[0]), period]


def _period_label(period, question):
    """Returns the label of a period of whole days, else None: it is told with times."""
    ends = [short_time(end, question.zone) for end in period]
    return None if None in ends else "..".join(ends)


# Rows


def _rows(comparison, question):
    key = comparison.dimension
    sides = comparison.sides
    mixed = [sum(is_mixed(group, key) for group in side.groups) for side in sides]
    if question.drop_mixed:
        sides = [side.without_mixed(key) for side in sides]
    overall = None
    if len(sides) > 2:
        overall = homogeneity([side.sample("conversion") for side in sides])
    rows = []
    a = sides[0]
    for b, mixed_b in zip(sides[1:], mixed[1:]):
        if not a.entered and not b.entered:
            continue
        row = {"app": comparison.flow.app, "flow": comparison.flow.name}
        row["version"] = comparison.version
        row["dimension"] = key
        row["same_age"] = comparison.is_same_age
        row["a"] = {"label": a.label, "entered": a.entered}
        row["b"] = {"label": b.label, "entered": b.entered}
        row.update(no_value=comparison.no_value, mixed=mixed[0] + mixed_b)
        row["sample_ratio"] = _sample_ratio(a, b, key, question)
        row["overall"] = overall
        days = None
        if question.versus is None and question.versions is None:
            days = _days_of(sides, question)
        row["metrics"] = [
            _metric(name, a, b, sides, days, question) for name in _metric_names(a, b)
        ]
        rows.append(row)
    _correct(rows)
    return rows


def is_mixed(group, key):
    """Returns whether a group has more than one value of a property, `ctx.KEY` or `props.KEY`, from
    its anchor on within the window.
    """
    if not key.startswith(("ctx.", "props.")) or group.chain is None:
        return False
    anchor = group.chain.anchor
    events = [anchor] + group.after(anchor, until=group.chain.end)
    values = [event.value(key) for event in events]
    texts = [as_text(value) for value in values if value is not None]
    return len({segment_text(key, group.flow, text) for text in texts}) > 1


def _sample_ratio(a, b, dimension, question):
    if question.ratio is None and dimension.rsplit(".", 1)[-1] not in RATIO_WORDS:
        return None
    return ratio_fit(a.entered, b.entered, question.ratio or (50, 50))


def _metric_names(a, b):
    names = ["conversion"]
    steps = [side.flow.steps[place]["id"] for side in (a, b) for place in side.flow.required[1:-1]]
    names += ["reached:" + step for step in dict.fromkeys(steps)]
    permissions = [permission.name for side in (a, b) for permission in side.flow.permissions]
    for permission in dict.fromkeys(permissions):
        names.append("grant_rate:" + permission)
        answers = [given for given in a.answers + b.answers if given.permission.name == permission]
        if any(given.outcome in ("limited", "provisional") for given in answers):
            names.append("access_rate:" + permission)
        names.append("dialog_grant_rate:" + permission)
    return names


def _days_of(sides, question):
    """Returns the groups that entered on all sides, and the days from the first to the last of
    them.
    """
    times = [group.chain.anchor.time for side in sides for group in side.groups]
    first, last = (local_time(time, question.zone).date() for time in (min(times), max(times)))
    return len(times), (last - first).days + 1


def _metric(name, a, b, sides, days, question):
    samples = [side.sample(name) for side in (a, b)]
    row = {"metric": name, "primary": name == question.metric, "label": None}
    for letter, sample in zip("ab", samples):
        row[letter] = sample and {
            "count": sample.count,
            "of": sample.total,
            "rate": rate(sample.count, sample.total),
            "rate_ci95": wilson(sample.count, sample.total),
        }
    row.update(dict.fromkeys(TESTED_KEYS))
    if any(sample is None or not sample.total for sample in samples):
        return row
    first, second = samples
    row["difference"] = second.share - first.share
    row["difference_ci95"] = newcombe(first, second)
    row["lift"] = second.share / first.share - 1 if first.count else None
    row["test"], row["p"] = two_sided(first, second)
    row["anytime_p"], row["anytime_ci95"] = anytime(first, second)
    if question.stratify is not None:
        strata = [side.strata(name, question.stratify) for side in (a, b)]
        nobody = Sample(0, 0)
        row["stratified"] = stratified(
            [
                (strata[0].get(stratum, nobody), strata[1].get(stratum, nobody))
                for stratum in strata[0].keys() | strata[1].keys()
            ]
        )
    row["needed_per_side"] = needed_per_side(first, question.detect)
    if days is not None:
        entered, length = days
        row["needed_days"] = math.ceil(row["needed_per_side"] * len(sides) * length / entered)
    return row


def _correct(rows):
    """Fills in `p_holm`: of the primary metric over the pairs, of all others together."""
    metrics = [metric for row in rows for metric in row["metrics"] if metric["p"] is not None]
    for is_primary in (True, False):
        tested = [metric for metric in metrics if metric["primary"] == is_primary]
        for metric, p in zip(tested, holm([metric["p"] for metric in tested])):
            metric["p_holm"] = p
