"""Random options of a report, most of them about values that the log has."""

from random_flows import chance, permissions_of
from reference.listing import FUNNEL_STATES, PERMISSION_STATES, STEP_STATES
from reference.moments import parse_span, parse_time

KEYS = (
    "ctx.variant",
    "ctx.country",
    "ctx.app_version",
    "ctx.n",
    "props.kind",
    "props.mix",
    "props.len",
    "props.flag",
    "day",
    "week",
    "month",
    "version",
)

OPERANDS = {
    "ctx.variant": ["A", "A,B", "", "B,", "Z*"],
    "ctx.country": ["DE", "DE,AT", "?T", "*"],
    "ctx.app_version": ["5.2", "5.10", "5.2.0"],
    "ctx.n": ["2", "1,10"],
    "props.kind": ["a", "b,c", "*", ""],
    "props.len": ["2", "2.5", "3"],
    "props.mix": ["1", "10", "true", "z"],
    "subject": ["subject1", "subject0,subject2", "subject*", "*3"],
    "version": ["1", "2"],
    "day": ["2026-10-2*", "2026-10-20"],
}

ANSWERS = ("granted", "denied", "skipped")
AD_HOC_REPORTS = ("funnel", "dropoff", "steps", "times", "trend", "breaches")
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia")


def random_options(random, report, definitions, lines):
    """Returns the options of one report, as `reference.question.Question` reads them."""
    options = _times(random, definitions, lines)
    _add_choices(random, options, definitions)
    if report == "groups":
        _name_one_flow(random, options, definitions)
    else:
        if chance(random, 0.45):
            options["by"] = random.sample(_keys(random, definitions), random.choice([1, 1, 2]))
        if chance(random, 0.3):
            options["exclude"] = [random.choice(lines)["name"]]
    if report == "breaches":
        options.pop("mature", None)
    if report == "trend" and chance(random, 0.75):
        options["every"] = random.choice(["day", "week", "month"])
    if report == "next":
        options["after"] = random.choice(_step_keys(definitions, lines))
        options["levels"] = random.choice([3, 3, 1, 5])
    elif report in AD_HOC_REPORTS and chance(random, 0.2):
        keys = sorted(set(_step_keys(definitions, lines)))
        options["steps"] = random.sample(keys, min(len(keys), random.randint(1, 4)))
        options["app"] = definitions[0]["app"]
        options.pop("flow", None)
    return options


def _times(random, definitions, lines):
    """Returns `now`, and perhaps `since` and `until`; half of all windows have not closed yet."""
    times = [parse_time(line["ts"]) for line in lines]
    first, last = min(times), max(times)

    def any_time():
        return random.choice([random.randint(first, last), random.choice(times)])

    year = parse_span("400d")
    hour = parse_span("1h")
    options = {
        "now": random.choice(
            [last + year, last + year, last, any_time(), last + random.randrange(hour)]
        )
    }
    if chance(random, 0.1):
        # A window that closes exactly now.
        options["now"] = random.choice(times) + parse_span(random.choice(definitions)["window"])
    if chance(random, 0.25):
        options["since"] = any_time()
    if chance(random, 0.25):
        options["until"] = any_time()
        if options["until"] <= options.get("since", first - 1):
            options["since"], options["until"] = options["until"], options["since"] + 1
    return options


def _add_choices(random, options, definitions):
    if chance(random, 0.3):
        options["window"] = random.choice(
            ["1ms", "500ms", "1s", "20s", "1m", "30m", "12h", "7d", "2w"]
        )
    if chance(random, 0.35):
        options["order"] = random.choice(["strict", "any", "ordered"])
    if chance(random, 0.3):
        options["count_by"] = random.choice(["subject", "attempt"])
    if chance(random, 0.25):
        keys = _keys(random, definitions) + ["subject"]
        options["where"] = [
            _condition(random, random.choice(keys)) for _ in range(random.choice([1, 1, 2]))
        ]
    if chance(random, 0.3):
        options["attribution"] = "known"
    if chance(random, 0.2):
        options["mature"] = True
    if chance(random, 0.35):
        options["tz"] = random.choice(ZONES)
    if chance(random, 0.15):
        definition = random.choice(definitions)
        options["flow"] = definition["app"] + "/" + definition["flow"]
        if chance(random, 0.5):
            options["flow"] += "@%d" % definition["version"]


def _keys(random, definitions):
    """Returns keys of `--by` and `--where`, some of them at a step of the chain."""
    steps = [step["id"] for definition in definitions for step in definition["steps"]]
    keys = list(KEYS)
    for path in ("props.kind", "props.mix", "props.type", "ctx.variant"):
        keys.append("step." + random.choice(steps) + "." + path)
    return keys


def _condition(random, key):
    operand = random.choice(OPERANDS.get(key, ["A", "a", "1"]))
    if "*" in operand or "?" in operand:
        operator = random.choice(["~", "!~"])
    elif "," in operand or not operand[:1].isdigit():
        operator = random.choice(["=", "!=", "==", "~", "!~"])
    else:
        operator = random.choice(["=", "!=", "==", "~", "!~", "<", "<=", ">", ">="])
    return key + operator + operand


def _step_keys(definitions, lines):
    """Returns keys of `--steps` and `--after`, each as often as it is likely to be there."""
    keys = ["step:" + step["id"] for definition in definitions for step in definition["steps"]]
    keys += [line["name"] for line in lines]
    for definition in definitions:
        for permission in permissions_of(definition):
            keys += ["perm:%s:%s" % (permission, answer) for answer in ANSWERS]
    return keys


def _name_one_flow(random, options, definitions):
    definition = random.choice(definitions)
    options["flow"] = "%s/%s@%d" % (definition["app"], definition["flow"], definition["version"])


def random_selections(random, definition, rules):
    """Returns what `funnel groups` is asked about a flow: some states, and one of its `rules` with
    its target.
    """
    selections = [{"state": random.choice(FUNNEL_STATES)}]
    step = random.choice(definition["steps"])
    states = ("reached",) if step.get("optional") else STEP_STATES
    selections.append({"state": random.choice(states), "step": step["id"]})
    permissions = permissions_of(definition)
    if permissions:
        kinds = [rule["rule"] for rule in definition.get("rules", [])]
        states = [
            state
            for state in PERMISSION_STATES
            if state != "recovered_via_settings" or state in kinds
        ]
        selections.append(
            {"state": random.choice(states), "permission": random.choice(permissions)}
        )
    if definition.get("outcomes"):
        selections.append({"outcome": random.choice(list(definition["outcomes"]))})
    if rules:
        rule, target = random.choice(rules)
        selection = {"breach": rule}
        if target is not None:
            selection["permission" if target in permissions else "step"] = target
        selections.append(selection)
    return random.sample(selections, min(len(selections), 3))
