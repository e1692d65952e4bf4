"""Flow definitions: which events they declare, which steps an event enters, what is upcast (section
6).
"""

import re
from collections import namedtuple

from .moments import parse_span
from .values import as_text

ACTIONS = [
    "pre_prompt_shown",
    "enable_tapped",
    "skip_explained",
    "granted",
    "limited",
    "once",
    "while_using",
    "provisional",
    "ephemeral",
    "denied",
    "dialog_dismissed",
    "skipped",
]
"""The actions of a permission that a flow declares, as perm_<permission>_<action>."""

DECISIONS = {
    "granted": "granted",
    "limited": "limited",
    "once": "limited",
    "while_using": "limited",
    "provisional": "provisional",
    "ephemeral": "provisional",
    "denied": "denied",
    "dialog_dismissed": "denied",
    "skipped": "skipped",
    "skip_explained": "skipped",
}
"""The actions that decide, with the answer each of them is."""

DIALOG_ANSWERS = ("granted", "limited", "once", "while_using", "denied", "dialog_dismissed")
"""The actions that only the system's dialog gives; quiet delivery has none."""

VERSION_KEYS = ("version", "ctx.app_version", "ctx.os_version")
"""The keys whose values are versions in every flow."""

Permission = namedtuple("Permission", "name step ask is_primed")
"""A permission in its place: the index of its step, its place in the step's `asks` (None: a
permission step), and whether whatever enters the screen is a pre-prompt of it too.
"""


def action_of(event, permission):
    """Returns the action of an event of this permission, or None for any other event."""
    prefix = "perm_" + permission + "_"
    if not event.name.startswith(prefix):
        return None
    action = event.name[len(prefix) :]
    return action if action in ACTIONS else None


def answer_of(event, permission):
    """Returns granted, limited, provisional, denied or skipped where the event decides about this
    permission, else None.
    """
    return DECISIONS.get(action_of(event, permission))


def rank_of(event):
    """Returns the place of an event among those of one instant that enter the same step: what was
    asked, what was tapped, what was answered, for any permission.
    """
    match = re.fullmatch("perm_.+?_(%s)" % "|".join(ACTIONS), event.name)
    if match is None or match[1] == "pre_prompt_shown":
        return 0
    return 1 if match[1] in ("enable_tapped", "skip_explained") else 2


def _name_and_condition(entry):
    """Returns the name and the condition of an entry of `entered_by`."""
    if isinstance(entry, str):
        return entry, {}
    return entry["event"], entry.get("where", {})


class Flow:
    """One version of a flow, from its definition as read from JSON."""

    def __init__(self, definition):
        self.definition = definition
        self.app = definition["app"]
        self.name = definition["flow"]
        self.version = definition["version"]
        self.steps = definition["steps"]
        self.count_by = definition.get("count_by", "person")
        self.window = parse_span(definition["window"])
        self.outcomes = definition.get("outcomes", {})
        self.events = definition.get("events", {})
        self.exclusions = definition.get("exclude", [])
        self.rules = definition.get("rules", [])
        self.locks = definition.get("locks", {})
        self.settings_events = [
            rule["event"] for rule in self.rules if rule["rule"] == "recovered_via_settings"
        ]
        self.index = {step["id"]: place for place, step in enumerate(self.steps)}
        self.required = [place for place, step in enumerate(self.steps) if not step.get("optional")]
        self.permissions = self._find_permissions()
        self.places = {permission.name: place for place, permission in enumerate(self.permissions)}
        self.upcasts = {}
        for upcast in definition.get("upcasts", []):
            self.upcasts.setdefault(upcast["from"], upcast["to"])

    @property
    def key(self):
        """What rows are sorted by."""
        return (self.app, self.name, self.version)

    def _find_permissions(self):
        """Returns the permissions by their place in the flow, each once."""
        found = {}
        for place, step in enumerate(self.steps):
            if "permission" in step:
                found.setdefault(
                    step["permission"], Permission(step["permission"], place, None, False)
                )
            for ask, entry in enumerate(step.get("asks", [])):
                entry = {"permission": entry} if isinstance(entry, str) else entry
                is_primed = entry.get("primed_by") == "step"
                found.setdefault(
                    entry["permission"], Permission(entry["permission"], place, ask, is_primed)
                )
        return list(found.values())

    def is_optional(self, place):
        """Returns whether the step with this index is optional."""
        return bool(self.steps[place].get("optional"))

    def label(self, place):
        """Returns the label of a step, else its id."""
        return self.steps[place].get("label", self.steps[place]["id"])

    def required_before(self, place):
        """Returns the index of the nearest required step before this one, or None."""
        before = [required for required in self.required if required < place]
        return before[-1] if before else None

    def required_behind(self, place):
        """Returns the index of the nearest required step behind this one, or None."""
        behind = [required for required in self.required if required > place]
        return behind[0] if behind else None

    def enters_step(self, event, place):
        """Returns whether an event enters the step with this index."""
        step = self.steps[place]
        if "entered_by" in step:
            for entry in step["entered_by"]:
                name, condition = _name_and_condition(entry)
                if event.name == name and event.satisfies(condition):
                    return True
            return False
        if "permission" in step:
            return event.name == "perm_" + step["permission"] + "_pre_prompt_shown"
        return event.name == "step_viewed" and event.step == step["id"]

    def entered_steps(self, event):
        """Returns the indexes of the steps that an event enters, in order."""
        return [place for place in range(len(self.steps)) if self.enters_step(event, place)]

    def is_pre_prompt(self, event, permission):
        """Returns whether an event, whose `enters` is known, is a pre-prompt of the permission."""
        if action_of(event, permission.name) == "pre_prompt_shown":
            return True
        return permission.is_primed and permission.step in event.enters

    def outcome(self, event):
        """Returns the id of the outcome that an event is, or None."""
        for outcome_id, outcome in self.outcomes.items():
            if event.name in outcome["events"] and event.satisfies(outcome.get("where", {})):
                return outcome_id
        return None

    def ends(self, event):
        """Returns whether an event is an outcome that ends the run."""
        outcome = self.outcome(event)
        return outcome is not None and self.outcomes[outcome].get("ends", True)

    def has_versions(self, path):
        """Returns whether the values of `ctx.KEY`, `props.KEY` or `version` are versions here."""
        return path in VERSION_KEYS or path in self.definition.get("versions", [])

    def is_start(self, event, order):
        """Returns whether an event, whose `enters` is known, can be an anchor."""
        if order == "any":
            return any(place in self.required for place in event.enters)
        return self.required[0] in event.enters

    def _listed_names(self):
        """Returns the names that are declared whatever step they say."""
        names = set(self.events) | set(self.upcasts)
        names |= {exclusion["event"] for exclusion in self.exclusions}
        for outcome in self.outcomes.values():
            names |= set(outcome["events"])
        for permission in self.permissions:
            names |= {"perm_%s_%s" % (permission.name, action) for action in ACTIONS}
        return names

    def declares(self, event):
        """Returns whether the flow folds an event that does not name it."""
        is_of_a_step = event.name.startswith("step_")
        if is_of_a_step and event.step in self.index:
            return True
        if not is_of_a_step:
            for step in self.steps:
                if event.name in [
                    _name_and_condition(entry)[0] for entry in step.get("entered_by", [])
                ]:
                    return True
        return event.name in self._listed_names()

    def upcast(self, event):
        """Returns the events that one of the log becomes: itself, where it has no upcast."""
        if event.name not in self.upcasts:
            return [event]
        targets = self.upcasts[event.name]
        targets = targets if isinstance(targets, list) else [targets]
        return [self._upcast_to(event, target) for target in targets]

    def _upcast_to(self, event, target):
        result = event.copy()
        result.props = dict(event.props)
        for key, template in target.items():
            if isinstance(template, str) and template.startswith("$"):
                value = event.value(template[1:])
            elif isinstance(template, dict):
                original = event.value(template["$map"])
                if original is None:
                    continue
                otherwise = template.get("else", "keep")
                value = template["values"].get(
                    as_text(original), original if otherwise == "keep" else otherwise
                )
            else:
                value = template
            if key == "name":
                result.name = value
            elif key == "step":
                result.step = value
            else:
                result.props[key[len("props.") :]] = value
        return result


class KeyMatcher:
    """What a KEY of `--steps` and `--after` stands for: an event name, step:ID or perm:P:ANSWER
    (section 7).
    """

    def __init__(self, key):
        self.key = key
        self.is_of_step = key.startswith("step:")

    def matches(self, event, flows):
        """Returns whether an event is one of the key; `step:ID` is whatever enters that step in one
        of the flows.
        """
        kind, _, rest = self.key.partition(":")
        if kind == "step" and rest:
            return any(
                rest in flow.index and flow.enters_step(event, flow.index[rest]) for flow in flows
            )
        if kind == "perm" and rest:
            permission, answer = rest.split(":")
            return answer_of(event, permission) == answer
        return event.name == self.key


class AdHocFlow(Flow):
    """The flow `adhoc` of `--steps`: all events of the app that are one of its keys, whatever flow
    they name.
    """

    def __init__(self, keys, app, flows):
        steps = [{"id": key, "label": key} for key in keys]
        super().__init__(
            {"app": app, "flow": "adhoc", "version": 1, "window": "7d", "steps": steps}
        )
        self.matchers = [KeyMatcher(key) for key in keys]
        self.known_flows = [flow for flow in flows if flow.app == app]

    def enters_step(self, event, place):
        """Returns whether an event, or what a flow that is known reads it as, is one of the key
        with this index.
        """
        matcher = self.matchers[place]
        if matcher.matches(event, self.known_flows):
            return True
        return matcher.is_of_step and any(
            matcher.matches(upcast, [flow])
            for flow in self.known_flows
            for upcast in flow.upcast(event)
        )

    def declares(self, event):
        """Returns whether the event is one of the keys."""
        return bool(self.entered_steps(event))
