"""The rules of section 7, breaches: for each the events it looks at, and whether each of them
breaks it.

A rule's function returns pairs of a target and a function from a group to verdicts: one a looked-at
event, true where that event breaks the rule.
"""

from .flows import action_of, answer_of, DIALOG_ANSWERS
from .groups import order_key
from .moments import UNIT_MILLISECONDS
from .values import number_of

PROGRESS_TOLERANCE = 0.005
REPEAT_MILLISECONDS = 5000
"""Two equal decisions at most this far apart are one."""

TOO_SHORT_MILLISECONDS = 10_000
"""A call that took longer contradicts the reason `too_short`."""

SENSITIVE_PERMISSIONS = ("camera", "microphone", "location", "contacts", "calendar", "tracking")
"""Those that Apple's Human Interface Guidelines allow no way past."""


class Check:
    """A row of the report: a rule, its target (a permission, a step or None) and its verdicts."""

    def __init__(self, rule, target, functions):
        self.rule = rule
        self.target = target
        self._functions = functions

    def verdicts(self, group):
        """Returns for each event of a group that the rule looks at whether it breaks it."""
        return [verdict for function in self._functions for verdict in function(group)]


def checks(flow, groups, question):
    """Returns the checks of a flow in the order of their rows: its own rules, then those of every
    flow.
    """
    found = {}
    for rule in flow.rules:
        if rule["rule"] not in _RULES:
            continue
        name = "progress" if rule["rule"] == "permission_progress" else rule["rule"]
        for target, function in _RULES[rule["rule"]](flow, rule, groups):
            found.setdefault((name, target), []).append(function)
    for permission in flow.permissions:
        found["no_second_decision", permission.name] = [_no_second_decision(flow, permission)]
    if not question.counts_attempts(flow):
        found["not_after_completion", None] = [lambda group: _after_completion(flow, group)]
    found["known_step", None] = [lambda group: _unknown_steps(flow, group)]
    return [Check(name, target, functions) for (name, target), functions in found.items()]


def _in_order(flow, permissions):
    """Returns permissions by their place in the flow."""
    return [permission for permission in flow.permissions if permission.name in permissions]


def _since_pre_prompt(flow, group, event, permission):
    """Returns the events between the permission's last pre-prompt, else the group's start, and an
    event.
    """
    since = []
    for earlier in group.before(event):
        since = [] if flow.is_pre_prompt(earlier, permission) else since + [earlier]
    return since


def _has_completed(flow, events):
    return any(flow.required[-1] in event.enters for event in events)


# The rules of every flow


def _no_second_decision(flow, permission):
    """Two decisions with no pre-prompt between them; equal ones close together, or an explained
    skip, are one.
    """

    def verdicts(group):
        result = []
        last = None
        for event in group.events:
            if flow.is_pre_prompt(event, permission):
                last = None
            given = answer_of(event, permission.name)
            if given is None:
                continue
            result.append(last is not None and not _is_repeat(last, event, permission))
            last = event
        return result

    return verdicts


def _is_repeat(earlier, later, permission):
    if answer_of(earlier, permission.name) != answer_of(later, permission.name):
        return False
    actions = (action_of(earlier, permission.name), action_of(later, permission.name))
    return later.time - earlier.time <= REPEAT_MILLISECONDS or actions == (
        "skip_explained",
        "skipped",
    )


def _after_completion(flow, group):
    """The first required step is entered after the last one was."""
    starts = [event for event in group.events if flow.required[0] in event.enters]
    return [_has_completed(flow, group.before(event)) for event in starts]


def _unknown_steps(flow, group):
    """A step_* event that names this flow and version, with a step it does not have."""
    return [
        event.step not in flow.index
        for event in group.events
        if event.name.startswith("step_")
        and event.flow == flow.name
        and event.flow_version == flow.version
    ]


# Rules about permissions


def _pre_prompt_before_decision(flow, rule, groups):
    def verdicts_of(permission):
        return lambda group: [
            not any(flow.is_pre_prompt(earlier, permission) for earlier in group.before(event))
            for event in group.events
            if action_of(event, permission.name) in DIALOG_ANSWERS
        ]

    return [(permission.name, verdicts_of(permission)) for permission in flow.permissions]


def _only_if_all_granted(flow, rule, groups):
    def verdicts(group):
        result = []
        for event in group.events:
            if flow.index[rule["step"]] in event.enters:
                earlier = group.before(event)
                result.append(
                    any(_last_answer(earlier, name) != "granted" for name in rule["permissions"])
                )
        return result

    return [(rule["step"], verdicts)]


def _last_answer(events, permission):
    answers = [answer_of(event, permission) for event in events if answer_of(event, permission)]
    return answers[-1] if answers else None


def _permission_order(flow, rule, groups):
    def verdicts(group):
        firsts = []
        for name in rule["permissions"]:
            permission = flow.permissions[flow.places[name]]
            shown = [event.place for event in group.events if flow.is_pre_prompt(event, permission)]
            firsts += shown[:1]
        return [firsts != sorted(firsts)] if firsts else []

    return [(None, verdicts)]


def _dialog_after(flow, rule, groups):
    button = rule.get("button", "enable_tapped")

    def verdicts_of(permission):
        return lambda group: [
            not any(
                action_of(earlier, permission.name) == button
                for earlier in _since_pre_prompt(flow, group, event, permission)
            )
            for event in group.events
            if action_of(event, permission.name) in DIALOG_ANSWERS
        ]

    return [
        (permission.name, verdicts_of(permission))
        for permission in _in_order(flow, rule["permissions"])
    ]


def _skip_delay(flow, rule, groups):
    def is_broken(group, event, permission):
        explained = [
            earlier
            for earlier in _since_pre_prompt(flow, group, event, permission)
            if action_of(earlier, permission.name) == rule.get("from", "skip_explained")
        ]
        return not explained or event.time - explained[-1].time < rule["milliseconds"]

    def verdicts_of(permission):
        return lambda group: [
            is_broken(group, event, permission)
            for event in group.events
            if action_of(event, permission.name) == rule.get("to", "skipped")
        ]

    return [
        (permission.name, verdicts_of(permission))
        for permission in _in_order(flow, rule["permissions"])
    ]


def _advance_when_all_handled(flow, rule, groups):
    def verdicts(group):
        return [
            any(_last_answer(group.before(event), name) is None for name in rule["permissions"])
            for event in group.events
            if flow.index[rule["to"]] in event.enters
        ]

    return [(None, verdicts)]


def _pre_alert_without_alert(flow, rule, groups):
    def verdicts_of(permission):
        def verdicts(group):
            actions = [action_of(event, permission.name) for event in group.events]
            if "skipped" not in actions:
                return []
            return [not any(action in DIALOG_ANSWERS for action in actions)]

        return verdicts

    names = rule.get("permissions", SENSITIVE_PERMISSIONS)
    return [(permission.name, verdicts_of(permission)) for permission in _in_order(flow, names)]


# Rules about steps and their properties


def _off_progress(events, progress):
    numbers = _numbers(event.props.get("progress") for event in events)
    return [abs(number - progress) > PROGRESS_TOLERANCE for number in numbers]


def _numbers(values):
    """Returns the numbers among values, also those written as texts."""
    return [number_of(value) for value in values if number_of(value) is not None]


def _progress(flow, rule, groups):
    def verdicts_of(place, step):
        return lambda group: _off_progress(
            [event for event in group.events if place in event.enters], step["progress"]
        )

    return [
        (step["id"], verdicts_of(place, step))
        for place, step in enumerate(flow.steps)
        if "progress" in step
    ]


def _permission_progress(flow, rule, groups):
    expected = dict(zip(rule["permissions"], rule["progress"]))

    def verdicts_of(name):
        return lambda group: _off_progress(
            [event for event in group.events if action_of(event, name) == "pre_prompt_shown"],
            expected[name],
        )

    return [
        (permission.name, verdicts_of(permission.name)) for permission in _in_order(flow, expected)
    ]


def _start_trigger(flow, rule, groups):
    def is_broken(group, event, is_first_start):
        trigger = event.props.get(rule["prop"])
        if trigger is None:
            return False
        if trigger == rule.get("first") and not is_first_start:
            return True
        has_nothing_to_resume = is_first_start or _has_completed(flow, group.before(event))
        return trigger == rule.get("until_completed") and has_nothing_to_resume

    def verdicts(group):
        starts = [event for event in group.events if event.name == rule["event"]]
        return [is_broken(group, event, number == 0) for number, event in enumerate(starts)]

    return [(None, verdicts)]


def _item_bounds(flow, rule, groups):
    def verdicts(group):
        completions = [
            event
            for event in group.events
            if event.name == "step_completed" and event.step == rule["step"]
        ]
        numbers = _numbers(event.props.get(rule["prop"]) for event in completions)
        if rule["rule"] == "min_items":
            return [number < rule["minimum"] for number in numbers]
        return [number > rule["maximum"] for number in numbers]

    return [(rule["step"], verdicts)]


def _unlisted_steps(flow, rule, groups):
    """Returns a target for each step that is not listed: any such event of it is a breach."""
    name = "step_skipped" if rule["rule"] == "skippable" else "step_back"

    def verdicts_of(step):
        return lambda group: [
            True for event in group.events if event.name == name and event.step == step
        ]

    unlisted = [step["id"] for step in flow.steps if step["id"] not in rule["steps"]]
    return [(step, verdicts_of(step)) for step in unlisted]


# Rules about challenges


def _failure_reason(flow, rule, groups):
    def is_broken(event):
        kind, duration = event.props.get("type"), number_of(event.props.get("duration_ms"))
        if "types" in rule and kind is not None and kind not in rule["types"]:
            return True
        is_timed = rule["reason"] == "too_short" and duration is not None
        return is_timed and duration > rule.get("minimum_milliseconds", TOO_SHORT_MILLISECONDS)

    def verdicts(group):
        return [
            is_broken(event)
            for event in group.events
            if event.name == rule["event"] and event.props.get("reason") == rule["reason"]
        ]

    return [(None, verdicts)]


def _auto_verify_after(flow, rule, groups):
    """Looks at all attempts of the subject, whatever the groups are."""

    def is_automatic(event):
        return event.name == rule["event"] and event.props.get("method") == rule["method"]

    def is_success(event):
        outcome = flow.outcome(event)
        return outcome is not None and flow.outcomes[outcome]["success"] and not is_automatic(event)

    def is_broken(group, event):
        day = event.time // UNIT_MILLISECONDS["d"]
        earlier = 0
        for other in groups:
            if other.flow.key != flow.key or other.subject != group.subject:
                continue
            for success in filter(is_success, other.events):
                is_same_day = success.time // UNIT_MILLISECONDS["d"] == day
                earlier += is_same_day and order_key(flow, success) < order_key(flow, event)
        return earlier < rule["connections"]

    return [
        (
            None,
            lambda group: [
                is_broken(group, event) for event in group.events if is_automatic(event)
            ],
        )
    ]


_RULES = {
    "pre_prompt_before_decision": _pre_prompt_before_decision,
    "only_if_all_granted": _only_if_all_granted,
    "permission_order": _permission_order,
    "dialog_after": _dialog_after,
    "skip_delay": _skip_delay,
    "advance_when_all_handled": _advance_when_all_handled,
    "pre_alert_without_alert": _pre_alert_without_alert,
    "progress": _progress,
    "permission_progress": _permission_progress,
    "start_trigger": _start_trigger,
    "min_items": _item_bounds,
    "max_items": _item_bounds,
    "skippable": _unlisted_steps,
    "back_from": _unlisted_steps,
    "failure_reason": _failure_reason,
    "auto_verify_after": _auto_verify_after,
}
"""The rules that the log alone can show broken; others, such as limited_hint, only tell the program
something.
"""
