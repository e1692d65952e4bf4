"""outcomes: how groups of a flow with `outcomes` ended (section 7).

A group's outcome is its last outcome event from the anchor on with ts <= anchor + window. `none`:
no outcome and closed; `in_progress`: no outcome and not closed, whether it completed or not. Shares
are of entered - in_progress. `retries` are the outcome events that were followed by another.
`details` are the properties that the definition lists for any event of the outcome, at the outcome
event alone, absent ones `(none)`. `values` are sums of amounts, as exact decimals; a property is
taken from the outcome event, else from the last event before it that has it.
"""

from collections import Counter
from decimal import Decimal

from ..measures import quantiles, rated
from ..segments import chain_rows, head
from ..values import as_text, equal, is_number, number_of


def outcomes_report(groups, question):
    """Returns the rows of `funnel report outcomes`."""

    def build(flow, by, members):
        return _row(flow, by, members) if flow.outcomes else None

    return chain_rows(groups, question, build)


def outcome_of_group(group):
    """Returns the id of a group's outcome, or None."""
    events = group.chain.outcome_events
    return group.flow.outcome(events[-1]) if events else None


def _row(flow, by, members):
    with_outcome = [group for group in members if group.chain.outcome_events]
    without = [group for group in members if not group.chain.outcome_events]
    in_progress = sum(not group.chain.is_closed for group in without)
    total = len(members) - in_progress
    successes = sum(
        bool(flow.outcomes[outcome_of_group(group)]["success"]) for group in with_outcome
    )
    row = head(flow, by)
    row.update(
        entered=len(members),
        in_progress=in_progress,
        none=len(without) - in_progress,
        successes=successes,
    )
    row.update(rated("success_rate", successes, total))
    row["retries"] = sum(len(group.chain.outcome_events) - 1 for group in with_outcome)
    row["outcomes"] = []
    for outcome_id in flow.outcomes:
        ended = [group for group in with_outcome if outcome_of_group(group) == outcome_id]
        row["outcomes"].append(_outcome(flow, outcome_id, ended, total))
    return row


def _outcome(flow, outcome_id, groups, total):
    outcome = flow.outcomes[outcome_id]
    row = {
        "id": outcome_id,
        "label": outcome.get("label", outcome_id),
        "success": outcome["success"],
    }
    row["count"] = len(groups)
    row.update(rated("share", len(groups), total))
    row["time_ms"] = quantiles(
        [group.chain.outcome_events[-1].time - group.chain.anchor.time for group in groups]
    )
    keys = {key for name in outcome["events"] for key in _listed_properties(flow, name)}
    row["details"] = {key: _detail(groups, key) for key in sorted(keys, key=str.encode)}
    row["values"] = {}
    for unit, amounts in outcome.get("values", {}).items():
        row["values"][unit] = float(sum((_amount(group, amounts) for group in groups), Decimal(0)))
    return row


def _listed_properties(flow, name):
    """Returns the paths of the properties that the definition lists for an event."""
    event = flow.events.get(name, {})
    schemas = [event] + event.get("steps", [])
    return ["props." + key for schema in schemas for key in schema.get("props", {})]


def _detail(groups, path):
    counts = Counter()
    for group in groups:
        value = group.chain.outcome_events[-1].value(path)
        counts["(none)" if value is None else as_text(value)] += 1
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0].encode())))


def _property(group, path):
    """Returns the value at the outcome event, else at the last event before it that has one."""
    event = group.chain.outcome_events[-1]
    for earlier in reversed(group.before(event) + [event]):
        if earlier.value(path) is not None:
            return earlier.value(path)
    return None


def _decimal(number):
    return Decimal(repr(number))


def _amount(group, amounts):
    """Returns the first amount of a list that applies, else 0."""
    for amount in amounts if isinstance(amounts, list) else [amounts]:
        if is_number(amount):
            return _decimal(amount)
        conditions = amount.get("where", {})
        if not all(
            _satisfies(_property(group, path), condition) for path, condition in conditions.items()
        ):
            continue
        if "amount" in amount:
            return _decimal(amount["amount"])
        value = _property(group, amount["by"])
        if value is not None and as_text(value) in amount["amounts"]:
            return _decimal(amount["amounts"][as_text(value)])
    return Decimal(0)


def _satisfies(value, condition):
    """Returns whether a value is the one of a condition, one of its list, or a number within its
    bounds.
    """
    if isinstance(condition, dict):
        number = number_of(value)
        if number is None:
            return False
        return condition.get("minimum", number) <= number <= condition.get("maximum", number)
    if isinstance(condition, list):
        return any(equal(value, element) for element in condition)
    return equal(value, condition)
