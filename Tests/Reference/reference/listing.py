"""funnel groups: the groups behind a number, sorted by subject and attempt (section 7)."""

from .answers import counted_answers, is_unprimed
from .reports.breaches import breaking_groups, reported_groups
from .reports.outcomes import outcome_of_group
from .rules import checks
from .segments import counted_groups

FUNNEL_STATES = ("entered", "completed", "dropped", "in_progress")
STEP_STATES = ("reached", "dropped", "in_progress")
PERMISSION_STATES = (
    "prompted",
    "granted",
    "limited",
    "provisional",
    "denied",
    "skipped",
    "unanswered",
    "in_progress",
    "recovered",
    "recovered_via_settings",
    "unprimed",
)


def list_groups(groups, question, selection):
    """Returns the groups of a selection, which has the keys `state`, `step`, `permission`,
    `outcome` or `breach`.
    """
    if "permission" in selection and "breach" not in selection:
        chosen = _of_permission(groups, question, selection["permission"], selection["state"])
    elif "breach" in selection:
        chosen = _of_breach(groups, question, selection)
    elif "outcome" in selection:
        counted = counted_groups(groups, question)
        chosen = [group for group in counted if outcome_of_group(group) == selection["outcome"]]
    elif "step" in selection:
        counted = counted_groups(groups, question)
        chosen = [
            group for group in counted if _is_at_step(group, selection["step"], selection["state"])
        ]
    else:
        chosen = [
            group
            for group in counted_groups(groups, question)
            if is_in_state(group.chain, selection["state"])
        ]
    return sorted(
        chosen,
        key=lambda group: (group.subject.encode(), (group.attempt or "").encode(), group.entry),
    )


def is_in_state(chain, state):
    """Returns whether a chain is in a state of the funnel."""
    return {
        "entered": True,
        "completed": chain.is_completed,
        "dropped": chain.is_dropped,
        "in_progress": chain.is_in_progress,
        "excluded": chain.is_excluded,
    }[state]


def _is_at_step(group, step, state):
    """Returns whether a group reached a step, or stayed at it in this state; in `any` order step k
    is the k-th matched.
    """
    place = group.flow.index[step]
    if group.flow.is_optional(place):
        return state == "reached" and place in group.chain.entries
    level = group.flow.required.index(place) + 1
    if state == "reached":
        return group.chain.level >= level
    return group.chain.level == level and is_in_state(group.chain, state)


def _of_permission(groups, question, name, state):
    if state == "unprimed":
        return [
            group
            for group in groups
            if question.asks_for(group.flow)
            and is_unprimed(group, group.flow.permissions[group.flow.places[name]], question)
        ]
    answers = counted_answers(groups, lambda flow: [flow.permissions[flow.places[name]]], question)
    if state == "prompted":
        return [given.group for given in answers]
    if state == "recovered":
        return [given.group for given in answers if given.is_recovered]
    if state == "recovered_via_settings":
        return [given.group for given in answers if given.is_recovered_via_settings]
    return [given.group for given in answers if given.outcome == state]


def _of_breach(groups, question, selection):
    target = selection.get("permission", selection.get("step"))
    members = [group for group, _ in reported_groups(groups, question)]
    for check in checks(members[0].flow, groups, question) if members else []:
        if (check.rule, check.target) == (selection["breach"], target):
            return breaking_groups(check, members)
    return []
