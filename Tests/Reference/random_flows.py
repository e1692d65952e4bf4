"""Random flow definitions, small enough that their cases meet: shared events, optional steps,
rules, outcomes.
"""

PERMISSIONS = ("cam", "mic", "loc", "pho", "con")

RULES = (
    "pre_prompt_before_decision",
    "only_if_all_granted",
    "start_trigger",
    "permission_order",
    "progress",
    "dialog_after",
    "skip_delay",
    "advance_when_all_handled",
    "min_items",
    "max_items",
    "skippable",
    "back_from",
    "pre_alert_without_alert",
    "grant_undisclosed",
    "recovered_via_settings",
)

AMOUNTS = (
    5,
    {"amount": 3},
    [
        {"where": {"props.kind": "a"}, "amount": 5},
        {"where": {"props.len": {"minimum": 3}}, "amount": 50},
        {"by": "props.kind", "amounts": {"a": 15, "b": 25.5, "c": 0.1}},
    ],
    [{"where": {"props.kind": ["b", "c"]}, "amount": -2.25}, 7],
)


def chance(random, probability):
    """Returns true as often as the probability says."""
    return random.random() < probability


def random_flows(random):
    """Returns the definitions of an app: one flow, perhaps with two versions, perhaps a second
    flow.
    """
    definitions = [random_flow(random, "f1", 1)]
    if chance(random, 0.35):
        second = random_flow(random, "f1", 2)
        second["app_versions"] = random.choice([">=5.2", ">=5.2 <6", ">5.10"])
        if chance(random, 0.5):
            definitions[0]["app_versions"] = "<5.2"
        definitions.append(second)
    if chance(random, 0.3):
        other = random_flow(random, "f2", 1)
        if chance(random, 0.6):
            other["from_flows"] = random.choice([["f1"], "*"])
        definitions.append(other)
    return definitions


def random_flow(random, name, version):
    """Returns a definition that the program accepts."""
    permissions = random.sample(PERMISSIONS, len(PERMISSIONS))
    steps = [_step(random, place, permissions) for place in range(random.randint(1, 6))]
    if len(steps) > 1 and chance(random, 0.1):
        for key in ("optional", "window", "min_gap"):
            steps[1].pop(key, None)
        steps[0]["optional"] = True
    definition = {"app": "zap", "flow": name, "version": version, "title": "A random flow"}
    definition["window"] = random.choice(["1s", "30s", "1m", "10m", "1h", "1d", "7d"])
    definition["steps"] = steps
    if chance(random, 0.6):
        definition["count_by"] = random.choice(["subject", "attempt", "person", "entry"])
    if chance(random, 0.15):
        definition["versions"] = ["props.sdk"]
    rules = []
    asked = permissions_of(definition)
    if asked and chance(random, 0.7):
        locked = [permission for permission in asked if chance(random, 0.7)]
        definition["locks"] = {
            permission: [
                "feature_%s_%d" % (permission, number) for number in range(random.randint(0, 2))
            ]
            for permission in locked
        }
        for permission in asked:
            if chance(random, 0.4):
                rules.append(
                    {"rule": "limited_hint", "permission": permission, "hint": "hint " + permission}
                )
    for kind in random.sample(RULES, random.choice([0, 0, 2, 4])):
        rule = _rule(random, kind, steps, asked)
        if rule is not None:
            rules.append(rule)
    if rules:
        definition["rules"] = rules
    if any(rule["rule"] == "recovered_via_settings" for rule in rules):
        definition["events"] = {"to_settings": {}}
    _add_exclusion(random, definition)
    _add_outcomes(random, definition)
    _add_upcasts(random, definition)
    return definition


def asks_of(step):
    """Returns the names of the permissions that a screen asks for."""
    return [
        entry if isinstance(entry, str) else entry["permission"] for entry in step.get("asks", [])
    ]


def permissions_of(definition):
    """Returns the names of the permissions of a flow, those of permission steps first."""
    names = [step["permission"] for step in definition["steps"] if "permission" in step]
    return names + [name for step in definition["steps"] for name in asks_of(step)]


def _step(random, place, permissions):
    step = {"id": "s%d" % place, "label": "Step %d" % place}
    kind = random.choice(["screen", "screen", "permission", "event", "event"])
    if kind == "permission" and permissions:
        step["permission"] = permissions.pop()
    elif kind == "event":
        step["entered_by"] = _entering_events(random, place, step["id"])
    elif permissions and chance(random, 0.4):
        asked = [permissions.pop() for _ in range(min(len(permissions), random.randint(1, 2)))]
        step["asks"] = [
            {"permission": name, "primed_by": "step"} if chance(random, 0.4) else name
            for name in asked
        ]
    if place and chance(random, 0.3):
        step["optional"] = True
    elif place and chance(random, 0.2):
        step["window"] = random.choice(["20s", "2m", "1h"])
    elif place and chance(random, 0.2):
        step["min_gap"] = random.choice(["1s", "10s"])
    return step


def _entering_events(random, place, step_id):
    entries = ["e%d" % place]
    if chance(random, 0.4):
        entries.append("alt%d" % place)
    if chance(random, 0.2):
        entries.append({"event": "page", "where": {"props.name": step_id}})
    if chance(random, 0.15):
        entries.append({"event": "step_viewed", "where": {"step": step_id}})
    if place and chance(random, 0.15):
        entries.append("e%d" % random.randrange(place))
    return entries


def _rule(random, kind, steps, permissions):
    """Returns a rule, or None where the flow has nothing that it could be about."""
    ids = [step["id"] for step in steps]
    some = random.sample(permissions, random.randint(1, len(permissions))) if permissions else []
    rule = {"rule": kind}
    if kind == "pre_prompt_before_decision":
        return rule
    if kind in ("skippable", "back_from"):
        return dict(rule, steps=random.sample(ids, random.randint(0, len(ids))))
    if kind == "min_items":
        return dict(rule, step=random.choice(ids), prop="len", minimum=2)
    if kind == "max_items":
        return dict(rule, step=random.choice(ids), prop="len", maximum=2)
    if kind == "progress":
        for place, step in enumerate(steps):
            step["progress"] = min(place / 4, 1)
        return rule
    if kind == "start_trigger":
        has_start = any("e0" in step.get("entered_by", []) for step in steps)
        values = {"first": "a", "until_completed": "b", "forced": "c"}
        return dict(rule, event="e0", prop="kind", **values) if has_start else None
    if kind == "permission_order":
        screens = [step for step in steps if len(asks_of(step)) > 1]
        return (
            dict(rule, step=screens[0]["id"], permissions=asks_of(screens[0])) if screens else None
        )
    if not some:
        return None
    if kind == "recovered_via_settings":
        return dict(rule, event="to_settings")
    if kind == "only_if_all_granted":
        return dict(rule, step=random.choice(ids), permissions=some)
    if kind == "dialog_after":
        return dict(rule, permissions=some)
    if kind == "skip_delay":
        delay = random.choice([1000, 1500])
        return dict(
            rule,
            permissions=some,
            milliseconds=delay,
            **{"from": "skip_explained", "to": "skipped"},
        )
    if kind == "grant_undisclosed":
        return dict(rule, permission=random.choice(some), note="the answer is not disclosed")
    if kind == "pre_alert_without_alert":
        return dict(rule, permissions=some, kind="camera")
    if len(ids) > 1:
        return dict(rule, step=ids[0], to=random.choice(ids[1:]), permissions=some)
    return None


def _add_exclusion(random, definition):
    required = [step["id"] for step in definition["steps"] if not step.get("optional")]
    if len(required) < 2 or not chance(random, 0.5):
        return
    exclusion = {"event": random.choice(["noise", "o_lose", "alt2", "step_failed"])}
    first = 0
    if chance(random, 0.5):
        first = random.randrange(len(required) - 1)
        exclusion["after"] = required[first]
    if chance(random, 0.5):
        exclusion["before"] = random.choice(required[first + 1 :])
    definition["exclude"] = [exclusion]


def _add_outcomes(random, definition):
    events = {}
    if chance(random, 0.6):
        outcomes = {}
        won = random.choice([["o_win"], ["o_win", "o_draw"], ["o_win", "e0"]])
        outcomes["won"] = {"label": "Won", "events": won, "success": True}
        if chance(random, 0.6):
            outcomes["lost"] = {"events": ["o_lose"], "success": False}
        if chance(random, 0.3):
            where = {"props.kind": "a"}
            outcomes["maybe"] = {
                "events": ["o_maybe"],
                "where": where,
                "success": chance(random, 0.5),
            }
        for outcome in outcomes.values():
            if chance(random, 0.2):
                outcome["ends"] = chance(random, 0.2)
            if chance(random, 0.5):
                outcome["values"] = {"xp": random.choice(AMOUNTS)}
                if chance(random, 0.3):
                    outcome["values"]["USD"] = {
                        "by": "props.kind",
                        "amounts": {"a": 4.99, "b": 39.99},
                    }
        definition["outcomes"] = outcomes
        for name in ("o_win", "o_lose", "o_maybe"):
            if chance(random, 0.5):
                keys = [key for key in ("kind", "len", "reason") if chance(random, 0.5)]
                events[name] = {"props": {key: {} for key in keys}}
    if chance(random, 0.3):
        events["noise"] = {}
    if events:
        definition.setdefault("events", {}).update(events)


def _add_upcasts(random, definition):
    if not chance(random, 0.3):
        return
    upcasts = [{"from": "old_view", "to": {"name": "step_viewed", "step": "$props.screen"}}]
    if chance(random, 0.5):
        mapped = {"$map": "props.kind", "values": {"a": "b", "x": "c"}}
        upcasts.append({"from": "old_e", "to": {"name": "e0", "props.kind": mapped}})
    if chance(random, 0.3):
        upcasts.append(
            {"from": "multi", "to": [{"name": "e0"}, {"name": "o_win", "props.kind": "a"}]}
        )
    definition["upcasts"] = upcasts
