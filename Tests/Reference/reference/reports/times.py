"""times: how long it took from step to step, and to convert (section 7).

Each but the first step has the times from the required step before it, as in the funnel; `total` is
from the anchor to the last required step of completed groups. Bins are [from, to); those from the
first to the last that is not empty are listed.
"""

from ..measures import nearest_rank
from ..segments import chain_rows, head

_SECOND, _MINUTE, _HOUR, _DAY = 1000, 60_000, 3_600_000, 86_400_000

EDGES = (
    [0]
    + [count * _SECOND for count in (1, 2, 5, 10, 20, 30)]
    + [count * _MINUTE for count in (1, 2, 5, 10, 20, 30)]
    + [count * _HOUR for count in (1, 2, 6, 12)]
    + [count * _DAY for count in (1, 2, 3, 7, 14, 30)]
)
"""The edges of the histogram's bins in milliseconds; the last bin is open."""

PERCENTILES = (10, 25, 50, 75, 90, 95, 99)


def times_report(groups, question):
    """Returns the rows of `funnel report times`."""

    def build(flow, by, members):
        chains = [group.chain for group in members]
        row = head(flow, by)
        row["steps"] = []
        for place in range(1, len(flow.steps)):
            step = {
                "id": flow.steps[place]["id"],
                "label": flow.label(place),
                "optional": flow.is_optional(place),
            }
            step.update(_distribution(_step_times(flow, place, chains, question)))
            row["steps"].append(step)
        totals = [
            chain.last_match.time - chain.anchor.time for chain in chains if chain.is_completed
        ]
        row["total"] = _distribution(totals)
        return row

    return chain_rows(groups, question, build)


def _step_times(flow, place, chains, question):
    if question.order == "any":
        level = 0 if flow.is_optional(place) else flow.required.index(place)
        reached = [chain.sequence for chain in chains if 0 < level < len(chain.sequence)]
        return [sequence[level].time - sequence[level - 1].time for sequence in reached]
    before = flow.required_before(place)
    if before is None:
        return []
    reached = [chain for chain in chains if chain.event_at(place) is not None]
    return [chain.event_at(place).time - chain.matches[before].time for chain in reached]


def _distribution(values):
    result = {"count": len(values), "mean_ms": sum(values) / len(values) if values else None}
    for percent in PERCENTILES:
        result["p%d" % percent] = nearest_rank(values, percent) if values else None
    counts = [0] * len(EDGES)
    for value in values:
        counts[max(number for number, edge in enumerate(EDGES) if edge <= value)] += 1
    filled = [number for number, count in enumerate(counts) if count]
    shown = range(filled[0], filled[-1] + 1) if filled else []
    ends = EDGES[1:] + [None]
    result["histogram"] = [
        {"from_ms": EDGES[number], "to_ms": ends[number], "count": counts[number]}
        for number in shown
    ]
    return result
