"""dropoff: how groups left at each required step but the last (section 3, Drop-off; section 5)."""

import re

from ..measures import quantiles, rate
from ..segments import chain_rows, head

EXITS = ("skipped", "denied", "failed", "back", "left", "ended")
"""The keys of `exits`, in order."""


def dropoff_report(groups, question):
    """Returns the rows of `funnel report dropoff`."""

    def build(flow, by, members):
        row = head(flow, by)
        row["entered"] = len(members)
        row["dropped"] = sum(group.chain.is_dropped for group in members)
        row["in_progress"] = sum(group.chain.is_in_progress for group in members)
        if question.excludes(flow):
            row["excluded"] = sum(group.chain.is_excluded for group in members)
        row["steps"] = [_step(flow, level, members) for level in range(1, len(flow.required))]
        return row

    return chain_rows(groups, question, build)


def _step(flow, level, members):
    place = flow.required[level - 1]
    reached = sum(group.chain.level >= level for group in members)
    dropped = [group for group in members if group.chain.level == level and group.chain.is_dropped]
    closed = [group.chain for group in members if group.chain.is_closed]
    closed_reached = sum(chain.level >= level for chain in closed)
    closed_dropped = sum(chain.level == level and chain.is_dropped for chain in closed)
    completed = sum(chain.is_completed for chain in closed)
    went_on = sum(chain.level > level for chain in closed)
    exits = [exit_kind(flow, _last_event(group)) for group in dropped]
    last = [last_step(group) for group in dropped]
    dwell = [
        _last_event(group).time - group.chain.last_match.time
        for group in dropped
        if _last_event(group) is not group.chain.last_match
    ]
    return {
        "id": flow.steps[place]["id"],
        "label": flow.label(place),
        "dropped": len(dropped),
        "share_of_entered": rate(len(dropped), len(members)),
        "share_of_reached": rate(len(dropped), reached),
        "in_progress": sum(
            group.chain.level == level and group.chain.is_in_progress for group in members
        ),
        "closed": {
            "reached": closed_reached,
            "dropped": closed_dropped,
            "share": rate(closed_dropped, closed_reached),
        },
        "lost_completions": rate(closed_dropped * completed, went_on),
        "exits": {kind: exits.count(kind) for kind in EXITS},
        "last_step": {
            step["id"]: last.count(step["id"]) for step in flow.steps if step["id"] in last
        },
        "dwell_ms": quantiles(dwell),
    }


def _from_match(group):
    """Returns the events from the last match on, within the window."""
    return [group.chain.last_match] + group.after(group.chain.last_match, until=group.chain.end)


def _last_event(group):
    return _from_match(group)[-1]


def exit_kind(flow, event):
    """Returns what the last event of a group says of how it left."""
    if re.fullmatch("perm_.*_skipped", event.name) or event.name == "step_skipped":
        return "skipped"
    if re.fullmatch("perm_.*_(denied|dialog_dismissed)", event.name):
        return "denied"
    if event.name == "step_failed":
        return "failed"
    if event.name == "step_back":
        return "back"
    return "ended" if flow.ends(event) else "left"


def last_step(group):
    """Returns the id of the step a group entered last, by an event from its last match on, within
    the window.

    The match enters the step it matched; of several steps that a later event enters, the first
    counts.
    """
    chain, flow = group.chain, group.flow
    last = [event for event in _from_match(group) if event.enters][-1]
    matched = [place for place, event in chain.matches.items() if event is last]
    return flow.steps[min(matched or last.enters)]["id"]
