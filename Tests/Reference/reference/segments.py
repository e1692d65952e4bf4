"""Rows: groups by flow version and segment, and their order (section 3, Order of segments; section
5).
"""

import functools

from .conditions import satisfies_all, value_at
from .values import as_text, compare_versions, identity, rank

TIMELIKE = ("day", "week", "month", "version", "ctx.app_version")
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
        _, members = segments.setdefault(tuple(map(identity, values)), (values, []))
        members.append(member)

    def rows(self, build, size=len):
        """Returns the rows in order: `build` makes one of a flow, the dictionary `by` and the
        members, or returns None.

        `size` tells how large a segment of these members is.
        """
        rows = []
        for key in sorted(self.members):
            segments = sorted(
                self.members[key].values(),
                key=functools.cmp_to_key(
                    lambda left, right: _compare(
                        left[0], size(left[1]), right[0], size(right[1]), self.question.by
                    )
                ),
            )
            for values, members in segments:
                row = build(self.flows[key], dict(zip(self.question.by, values)), members)
                if row is not None:
                    rows.append(row)
        return rows


def _compare(left, left_size, right, right_size, keys):
    for key, first, second in zip(keys, left, right):
        if key not in TIMELIKE or identity(first) == identity(second):
            continue
        if first is None or second is None:
            return 1 if first is None else -1
        if key == "ctx.app_version":
            comparison = compare_versions(as_text(first), as_text(second))
            if comparison:
                return comparison
            continue
        return -1 if first < second else 1
    if left_size != right_size:
        return right_size - left_size
    for first, second in zip(left, right):
        if rank(first) != rank(second):
            return -1 if rank(first) < rank(second) else 1
    return 0


def head(flow, by):
    """Returns what every row begins with."""
    return {"app": flow.app, "flow": flow.name, "version": flow.version, "by": by}


def counted_groups(groups, question):
    """Returns the groups with a chain that the options leave."""
    return [
        group
        for group in groups
        if group.chain is not None
        and question.asks_for(group.flow)
        and satisfies_all(group, group.chain.anchor, question)
        and (group.chain.is_closed or not question.mature)
    ]


def chain_rows(groups, question, build):
    """Returns the rows over the groups of the funnel, in the segments of their anchors."""
    segments = Segments(question)
    for group in counted_groups(groups, question):
        segments.add(group, group.chain.anchor, group)
    return segments.rows(build)
