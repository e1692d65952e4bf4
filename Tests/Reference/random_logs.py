"""Random logs for flow definitions: subjects that go through the steps, skip some, and do anything
else besides.
"""

import copy

from random_flows import chance, permissions_of
from reference.flows import ACTIONS
from reference.moments import format_time, parse_time

FIRST_TIME = parse_time("2026-10-20T00:00:00Z")

_MINUTE, _HOUR, _DAY = 60_000, 3_600_000, 86_400_000
SPANS = (10 * _MINUTE, _HOUR, _DAY)
WIDE_SPANS = (5000, _MINUTE, 10 * _MINUTE, _HOUR, _DAY, 10 * _DAY, 40 * _DAY, 300 * _DAY)

PROPERTY_VALUES = {
    "kind": ["a", "b", "c", "x", "a"],
    "len": [1, 2, 3, 2.5, 10, "3", "2.50"],
    "reason": ["r1", "r2", "r3", None, 7, True],
    "flag": [True, False, "true"],
    "mix": [
        1,
        "1",
        2,
        "z",
        True,
        10,
        9,
        "10",
        "Z",
        -1.5,
        "true",
        "1.0",
        "1e1",
        2.0,
        "-1.5",
        "9.10",
    ],
    "sdk": ["1.2", "1.10", "1.2-rc", 2, "2.0"],
}

CONTEXT_VALUES = {
    "variant": ["A", "B", "C"],
    "country": ["DE", "AT", "US"],
    "app_version": ["5.1", "5.2", "5.10", "6.0", "5.2-beta"],
    "n": [1, 2, 10, "2"],
    "os_version": ["9.1", "17.0", "18.2", 18],
}

PROGRESS_VALUES = [0, 0.25, 0.5, 0.2, 0.254, 0.2551, 0.8, "x", 0.6, 1, "0.5"]


def random_log(random, definitions, are_random, many=False):
    """Returns the lines of a log, in no order, some of them twice.

    `are_random` tells whether the definitions are: of others the events keep to the schemas of
    their properties. `many` asks for a log of many subjects, most of whom go through the steps.
    """
    subjects = random.randint(6, 25) if chance(random, 0.15) else random.randint(1, 5)
    if many:
        subjects = random.choice([random.randint(6, 25), random.randint(40, 160)])
    span = random.choice(WIDE_SPANS if chance(random, 0.5) else SPANS)
    log = _Log(random, are_random, 0.85 if many else 0.5)
    for subject in range(subjects):
        log.add_subject("subject%d" % subject, definitions, span)
    random.shuffle(log.lines)
    return log.lines


def _entering_templates(step):
    """Returns an event for each way to enter a step."""
    if "entered_by" in step:
        return [_entry_template(entry) for entry in step["entered_by"]]
    if "permission" in step:
        return [{"name": "perm_" + step["permission"] + "_pre_prompt_shown"}]
    return [{"name": "step_viewed", "step": step["id"]}]


def _entry_template(entry):
    if isinstance(entry, str):
        return {"name": entry}
    template = {"name": entry["event"]}
    for path, value in entry.get("where", {}).items():
        if path == "step":
            template["step"] = value
        else:
            template.setdefault("props", {})[path[len("props.") :]] = value
    return template


def _other_templates(definition):
    """Returns the events of a flow that need not enter a step, and some that are unknown."""
    templates = [{"name": "noise"}, {"name": "step_viewed", "step": "nowhere"}]
    for step in definition["steps"]:
        for what in ("completed", "completed", "skipped", "back", "failed", "viewed", "weird"):
            templates.append({"name": "step_" + what, "step": step["id"]})
    for permission in permissions_of(definition):
        templates += [{"name": "perm_%s_%s" % (permission, action)} for action in ACTIONS]
    for outcome in definition.get("outcomes", {}).values():
        templates += [{"name": name} for name in outcome["events"]] * 3
    first = definition["steps"][0]["id"]
    for name in definition.get("events", {}):
        template = {"name": name, "step": first} if name.startswith("step_") else {"name": name}
        templates += [template] * (3 if name == "to_settings" else 1)
    templates += [{"name": upcast["from"]} for upcast in definition.get("upcasts", [])]
    return templates


class _Log:
    def __init__(self, random, are_random, eagerness):
        """`eagerness` is how probable it is at most that the next event enters the next step."""
        self.random = random
        self.are_random = are_random
        self.eagerness = eagerness
        self.lines = []

    def add_subject(self, subject, definitions, span):
        """Adds one to three runs of a subject through the flows."""
        random = self.random
        time = FIRST_TIME + random.randrange(span)
        pace = random.choice([0, 1, 1000, 1000, 20000, 300000])
        counts = chance(random, 0.6)
        for run in range(random.choice([1, 1, 2, 2, 3])):
            if run and chance(random, 0.5):
                time += random.choice([_MINUTE, _HOUR, _DAY, 8 * _DAY, 30 * _DAY])
            if not run or chance(random, 0.4):
                definition = random.choice(definitions)
            attempt = random.choice([None, "a1", "a2", "run%d" % run])
            if definition.get("count_by") == "attempt" and chance(random, 0.8):
                attempt = "run%d" % run
            context = {
                key: random.choice(values)
                for key, values in CONTEXT_VALUES.items()
                if chance(random, 0.6)
            }
            # One variant is worse than the others.
            eagerness = self.eagerness * (0.6 if context.get("variant") == "B" else 1)
            for template in self._journey(definition, eagerness):
                if chance(random, 0.8):
                    pauses = [
                        0,
                        1,
                        pace,
                        pace,
                        random.randrange(pace * 3 + 1),
                        random.randrange(max(1, span // 8)),
                    ]
                    time += random.choice(pauses)
                self._add(template, definition, subject, attempt, context, time, counts)

    def _journey(self, definition, eagerness):
        """Returns the events of one run: mostly the steps in order."""
        random = self.random
        others = _other_templates(definition)
        entering = [_entering_templates(step) for step in definition["steps"]]
        journey = []
        place = 0
        for _ in range(random.randint(1, 14)):
            if place < len(entering) and chance(random, eagerness):
                journey.append(random.choice(entering[place]))
                place += random.choice([1, 1, 1, 1, 1, 1, 1, 1, 2, -place])
            elif chance(random, 0.25):
                journey.append(random.choice(random.choice(entering)))
            else:
                journey.append(random.choice(others))
        return journey + self._way_to_settings(definition)

    def _way_to_settings(self, definition):
        """Returns a refusal that is taken back after the settings were opened, where a flow tells
        that they were.
        """
        random = self.random
        events = [
            rule["event"]
            for rule in definition.get("rules", [])
            if rule["rule"] == "recovered_via_settings"
        ]
        permissions = permissions_of(definition)
        if not events or not permissions or chance(random, 0.5):
            return []
        name = "perm_%s_" % random.choice(permissions)
        pre_prompt = [{"name": name + "pre_prompt_shown"}]
        asked_again = pre_prompt if chance(random, 0.3) else []
        way = pre_prompt + [{"name": name + random.choice(["denied", "skipped"])}]
        way += [{"name": events[0]}] + asked_again
        return way + [{"name": name + random.choice(["granted", "limited", "denied"])}]

    def _add(self, template, definition, subject, attempt, context, time, counts):
        """Adds a line; `counts` tells whether the client has a counter of its own."""
        random = self.random
        line = {
            "name": template["name"],
            "app": definition["app"],
            "subject": subject,
            "id": "i%d" % len(self.lines),
        }
        line["ts"] = format_time(time) if chance(random, 0.7) else time
        if chance(random, 0.75):
            line["flow"] = definition["flow"]
            if chance(random, 0.25):
                line["flow_version"] = definition["version"]
        if attempt is not None and chance(random, 0.9):
            line["attempt"] = attempt
        if counts and chance(random, 0.5):
            line["seq"] = random.randint(0, 3)
        if "step" in template:
            line["step"] = template["step"]
        elif line["name"].startswith("step_"):
            line["step"] = definition["steps"][0]["id"]
        line["props"] = copy.deepcopy(template.get("props", {}))
        self._add_properties(line, definition)
        if chance(random, 0.3):
            line["props"]["progress"] = random.choice(PROGRESS_VALUES)
        line["ctx"] = dict(context)
        if chance(random, 0.1):
            line["ctx"]["variant"] = random.choice(["A", "B"])
        if chance(random, 0.05):
            line["ctx"].pop("app_version", None)
        if chance(random, 0.1):
            line["ctx"].pop("variant", None)
        if chance(random, 0.04):
            line["sent_at"] = format_time(time + 5000)
            line["received_at"] = format_time(time + 5000 + random.choice([-3000, 2000, 0]))
        self.lines.append(line)
        if chance(random, 0.02):
            self.lines.append(dict(line, ts=time + random.choice([-700, 900])))

    def _add_properties(self, line, definition):
        random, name, props = self.random, line["name"], line["props"]
        if name in ("old_view", "onboarding_step"):
            props["screen"] = random.choice(definition["steps"])["id"]
        if not self.are_random:
            self._add_properties_of_schema(line, definition)
            return
        if name == "page" and chance(random, 0.3):
            props["name"] = "elsewhere"
        for key, values in PROPERTY_VALUES.items():
            is_needed = key == "kind" and name in ("old_e", "multi")
            if is_needed or chance(random, 0.35):
                props[key] = random.choice(values)

    def _add_properties_of_schema(self, line, definition):
        random, name, props = self.random, line["name"], line["props"]
        event = definition.get("events", {}).get(name, {})
        schemas = dict(event.get("props", {}))
        for step in event.get("steps", []):
            if step["id"] == line.get("step"):
                schemas.update(step["props"])
        for key, schema in schemas.items():
            if chance(random, 0.25):
                continue
            if "enum" in schema:
                props[key] = random.choice(schema["enum"])
            elif schema.get("type") == "integer":
                props[key] = random.randint(max(1, schema.get("minimum", 0)), 5)
            elif schema.get("type") == "boolean":
                props[key] = chance(random, 0.5)
            elif key == "type":
                kinds = ["text", "call", "facetime", "voiceMemo", "callSomeone", "reply"]
                props[key] = random.choice(kinds)
            else:
                props[key] = random.choice(["aa", "bb"])
        if chance(random, 0.3):
            props["duration_ms"] = random.choice([5000, 300000, 299999])
        if name == "step_failed" and "reason" not in schemas and chance(random, 0.5):
            props["reason"] = random.choice(["x", "y"])
