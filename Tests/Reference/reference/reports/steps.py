"""steps: what became of each step (section 7).

A stay at a step is the events from the step's match, or an optional step's entry, up to the next
later match of a required step, or to the end of the window. `completed`, `skipped`, `back` and
`failed` count groups with such an event of the step in the stay (`perm_<p>_skipped` is a skip of a
permission step), `failures` the `step_failed` events by reason, `views` the events in the stay that
enter the step. `time_ms` runs to the first `step_completed`, else to the next match. `values` are
of the `props` of the first `step_completed`, as segments are: the ten most frequent, ties by value.
"""

import math
from collections import Counter

from ..conditions import segment_text, shown
from ..measures import quantiles
from ..segments import chain_rows, head
from ..stays import Stay
from ..values import as_text, identity, is_number, segment_rank


def steps_report(groups, question):
    """Returns the rows of `funnel report steps`."""

    def build(flow, by, members):
        row = head(flow, by)
        row["entered"] = len(members)
        row["steps"] = [_step(flow, place, members, question) for place in range(len(flow.steps))]
        return row

    return chain_rows(groups, question, build)


def _step(flow, place, members, question):
    row = {
        "id": flow.steps[place]["id"],
        "label": flow.label(place),
        "optional": flow.is_optional(place),
    }
    if flow.is_optional(place) and question.order == "any":
        row["reached"] = None
        row.update(dict.fromkeys(("completed", "skipped", "back", "failed"), 0))
        row.update({"failures": {}, "views": 0, "time_ms": None, "values": {}})
        return row
    stays = [Stay(group, place) for group in members if group.chain.event_at(place) is not None]
    times = [stay.milliseconds for stay in stays if stay.milliseconds is not None]
    row["reached"] = len(stays)
    row["completed"] = sum(bool(stay.completions) for stay in stays)
    row["skipped"] = sum(bool(stay.skips) for stay in stays)
    row["back"] = sum(bool(stay.backs) for stay in stays)
    row["failed"] = sum(bool(stay.failures) for stay in stays)
    row["failures"] = _failures(stays)
    row["views"] = sum(len(stay.views) for stay in stays)
    row["time_ms"] = quantiles(times)
    row["values"] = _values(flow, [stay.completions[0] for stay in stays if stay.completions])
    return row


def _failures(stays):
    reasons = Counter()
    for stay in stays:
        for event in stay.failures:
            reason = event.props.get("reason")
            reasons["(none)" if reason is None else as_text(reason)] += 1
    return dict(sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0].encode())))


def _values(flow, completions):
    """Returns what stands in each property of the completions, as segments would show it."""
    found = {}
    for event in completions:
        for key, value in event.props.items():
            if value is not None:
                path = "props." + key
                text = segment_text(path, flow, as_text(value))
                found.setdefault(path, []).append(shown(path, flow, text))
    return {key: _summary(found[key]) for key in sorted(found)}


def _summary(values):
    summary = {"count": len(values)}
    numbers = [value for value in values if is_number(value)]
    if numbers:
        summary.update(mean=math.fsum(numbers) / len(numbers), min=min(numbers), max=max(numbers))
    counts = Counter(identity(value) for value in values)
    frequent = sorted(counts.items(), key=lambda entry: (-entry[1], segment_rank(entry[0][1])))
    summary["top"] = [{"value": value, "count": count} for (_, value), count in frequent[:10]]
    return summary
