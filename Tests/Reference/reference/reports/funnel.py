"""funnel: how many groups reached each step (section 5)."""

from ..measures import quantiles, rate, rated
from ..segments import chain_rows, head


def counts(flow, chains, question):
    """Returns how many of the chains ended how; `excluded` only where the query or the flow has an
    exclusion.
    """
    row = states(chains)
    if question.excludes(flow):
        row["excluded"] = sum(chain.is_excluded for chain in chains)
    row.update(rated("conversion", row["completed"], row["entered"]))
    return row


def states(chains):
    """Returns the states of the chains but for `excluded`."""
    return {
        "entered": len(chains),
        "completed": sum(chain.is_completed for chain in chains),
        "in_progress": sum(chain.is_in_progress for chain in chains),
        "dropped": sum(chain.is_dropped for chain in chains),
    }


def funnel_report(groups, question):
    """Returns the rows of `funnel report funnel`."""

    def build(flow, by, members):
        chains = [group.chain for group in members]
        row = head(flow, by)
        del row["by"]
        row["window_ms"] = question.window_of(flow)
        row["by"] = by
        row.update(states(chains))
        row["returned"] = _returned(flow, groups, question)
        row["finished_out_of_order"] = sum(chain.is_finished_out_of_order for chain in chains)
        row.update(counts(flow, chains, question))
        closed = [chain for chain in chains if chain.is_closed]
        completed = sum(chain.is_completed for chain in closed)
        row["closed"] = {"entered": len(closed), "completed": completed}
        row["closed"].update(rated("conversion", completed, len(closed)))
        row["steps"] = [_step(flow, place, chains, question) for place in range(len(flow.steps))]
        return row

    return chain_rows(groups, question, build)


def _returned(flow, groups, question):
    """Returns how many groups began before `since` and enter the first required step again in
    [since, until), or None where the question has no such number.
    """
    if question.by or question.where or question.since is None or question.anchor == "best":
        return None
    return sum(
        group.flow.key == flow.key
        and group.chain is not None
        and group.chain.anchor.time < question.since
        and (group.chain.is_closed or not question.mature)
        and any(
            question.covers(event.time) and flow.required[0] in event.enters
            for event in group.events
        )
        for group in groups
    )


def _step(flow, place, chains, question):
    row = {
        "id": flow.steps[place]["id"],
        "label": flow.label(place),
        "optional": flow.is_optional(place),
    }
    if flow.is_optional(place):
        row.update(_optional_numbers(flow, place, chains, question))
    else:
        row.update(_required_numbers(flow, place, chains))
    return row


def _required_numbers(flow, place, chains):
    level = flow.required.index(place) + 1
    reached = [chain for chain in chains if chain.level >= level]
    stayed = [chain for chain in chains if chain.level == level]
    from_previous, times = 1, None
    if level > 1:
        from_previous = rate(len(reached), sum(chain.level >= level - 1 for chain in chains))
        times = quantiles(
            [chain.sequence[level - 1].time - chain.sequence[level - 2].time for chain in reached]
        )
    return {
        "reached": len(reached),
        "from_previous": from_previous,
        "from_start": rate(len(reached), len(chains)),
        "dropped": sum(chain.is_dropped for chain in stayed),
        "in_progress": sum(chain.is_in_progress for chain in stayed),
        "time_from_previous_ms": times,
    }


def _optional_numbers(flow, place, chains, question):
    if question.order == "any":
        names = (
            "reached",
            "from_previous",
            "from_start",
            "dropped",
            "in_progress",
            "time_from_previous_ms",
        )
        return dict.fromkeys(names)
    reached = [chain for chain in chains if place in chain.entries]
    before = flow.required_before(place)
    base, times = len(chains), None
    if before is not None:
        base = sum(before in chain.matches for chain in chains)
        times = quantiles(
            [chain.entries[place].time - chain.matches[before].time for chain in reached]
        )
    return {
        "reached": len(reached),
        "from_previous": rate(len(reached), base),
        "from_start": rate(len(reached), len(chains)),
        "dropped": None,
        "in_progress": None,
        "time_from_previous_ms": times,
    }
