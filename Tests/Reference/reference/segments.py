"""Rows: groups by flow version and segment, and their order (section 3, Order of segments; section
5).
"""

import functools

from .conditions import satisfies_all, shown, value_at
from .moments import WEEKDAYS
from .values import compare_versions, segment_rank

ASCENDING_KEYS = ("day", "week", "month", "hour", "weekday", "version", "ctx.app_version")
"""The keys whose segments are in ascending order, whatever their size."""


class Segments:
    """Members by flow version and by their values of the keys of `--by`."""

    def __init__(self, question):
        self.question = question
        self.flows = {}
        self.members = {}

    def add(self, group, event, member):
        """Adds a member of a group, in the segment of the values at `event`."""
        values = tuple(value_at(key, group, event, self.question) for key in self.question.by)
        self.flows[group.flow.key] = group.flow
        segments = self.members.setdefault(group.flow.key, {})
        segments.setdefault(values, []).append(member)

    def rows(self, build, size=len):
        """Returns the rows in order: `build` makes one of a flow, the dictionary `by` and the
        members, or returns None.

        `size` tells how large a segment of these members is.
        """
        rows = []
        for key in sorted(self.members):
            flow = self.flows[key]
            segments = []
            for texts, members in self.members[key].items():
                by = {name: shown(name, flow, text) for name, text in zip(self.question.by, texts)}
                segments.append((by, size(members), members))
            for by, _, members in sorted(segments, key=functools.cmp_to_key(_compare)):
                row = build(flow, by, members)
                if row is not None:
                    rows.append(row)
        return rows


def _compare(left, right):
    for key in left[0]:
        if key in ASCENDING_KEYS:
            comparison = compare_values(key, left[0][key], right[0][key])
            if comparison:
                return comparison
    if left[1] != right[1]:
        return right[1] - left[1]
    first = [segment_rank(value) for value in left[0].values()]
    second = [segment_rank(value) for value in right[0].values()]
    return (first > second) - (first < second)


def compare_values(key, left, right):
    """Returns -1, 0 or 1 for two values of a segment in ascending order, null last."""
    if left is None or right is None:
        return (left is None) - (right is None)
    if key == "ctx.app_version":
        return compare_versions(left, right) or 0
    if key == "weekday":
        left, right = WEEKDAYS.index(left), WEEKDAYS.index(right)
    first, second = segment_rank(left), segment_rank(right)
    return (first > second) - (first < second)


def head(flow, by):
    """Returns what every row begins with."""
    return {"app": flow.app, "flow": flow.name, "version": flow.version, "by": by}


def counted_groups(groups, question):
    """Returns the groups with an anchor in [since, until) that the options leave."""
    return [
        group
        for group in groups
        if group.chain is not None
        and question.asks_for(group.flow)
        and question.covers(group.chain.anchor.time)
        and satisfies_all(group, group.chain.anchor, question)
        and (group.chain.is_closed or not question.mature)
    ]


def chain_rows(groups, question, build):
    """Returns the rows over the groups of the funnel, in the segments of their anchors."""
    segments = Segments(question)
    for group in counted_groups(groups, question):
        segments.add(group, group.chain.anchor, group)
    return segments.rows(build)
