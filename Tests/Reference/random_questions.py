"""Random options of a report, most of them about values that the log has."""

from random_flows import chance, permissions_of
from reference.conditions import path_of, segment_text
from reference.flows import Flow
from reference.listing import FUNNEL_STATES, PERMISSION_STATES, STEP_STATES
from reference.moments import TIME_KEYS, bucket_start, first_instant, parse_span, parse_time
from reference.question import Question
from reference.values import as_text

KEYS = (
    "ctx.variant",
    "ctx.country",
    "ctx.app_version",
    "ctx.n",
    "ctx.os_version",
    "props.kind",
    "props.mix",
    "props.len",
    "props.flag",
    "props.sdk",
    "day",
    "week",
    "month",
    "hour",
    "weekday",
    "version",
)

OPERANDS = {
    "ctx.variant": ["A", "A,B", "", "B,", "Z*"],
    "ctx.country": ["DE", "DE,AT", "?T", "*"],
    "ctx.app_version": ["5.2", "5.10", "5.2.0"],
    "ctx.n": ["2", "1,10", "1e1", "2.0"],
    "ctx.os_version": ["9.1", "18", "18.0", "17.0,18.2"],
    "props.kind": ["a", "b,c", "*", ""],
    "props.len": ["2", "2.5", "3", "2.50", "9.1.2"],
    "props.mix": ["1", "10", "true", "z", "1.0", "1e1", "9.5"],
    "props.flag": ["true", "false"],
    "props.sdk": ["1.2", "1.10", "2", "1.2,2.0"],
    "version": ["1", "2"],
    "day": ["2026-10-2*", "2026-10-20"],
    "hour": ["00,01", "12", "0*"],
    "weekday": ["Mon,Tue", "Tue", "S*"],
    "subject": ["subject0", "subject0,subject2", "subject?", "subject1*", "nobody"],
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
    elif report == "compare":
        _add_sides(random, options, definitions, lines)
    else:
        if chance(random, 0.45):
            options["by"] = random.sample(_keys(random, definitions), random.choice([1, 1, 2]))
        if chance(random, 0.3):
            options["exclude"] = [random.choice(lines)["name"]]
    if report in ("breaches", "compare"):
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
    if chance(random, 0.12) and _takes_best(report, options):
        options["anchor"] = "best"
    return options


def _takes_best(report, options):
    """Returns whether `--anchor best` may be asked: it can't be cut by time."""
    is_cut = any(key in TIME_KEYS for key in options.get("by", []))
    return report != "trend" and not is_cut and "versus" not in options


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
    if chance(random, 0.35):
        options["since"] = any_time()
    if chance(random, 0.3):
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
        options["count_by"] = random.choice(["subject", "attempt", "person", "entry", "entry"])
    if chance(random, 0.2):
        options["attribution"] = random.choice(["known", "known", "anchor"])
    if chance(random, 0.25):
        keys = _keys(random, definitions) + ["subject"]
        options["where"] = [
            _condition(random, random.choice(keys)) for _ in range(random.choice([1, 1, 2]))
        ]
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
    if key == "subject":
        operator = random.choice(["=", "!=", "~", "!~"])
    elif "*" in operand or "?" in operand:
        operator = random.choice(["~", "!~"])
    elif "," in operand or not operand[:1].isdigit():
        operator = random.choice(["=", "!=", "==", "~", "!~"])
    else:
        operator = random.choice(["=", "!=", "==", "~", "!~", "<", "<=", ">", ">="])
    return key + operator + operand


SIDES_KEYS = ("ctx.variant", "ctx.variant", "ctx.variant", "ctx.country", "ctx.n", "props.kind")
"""Keys of `compare --by` whose values several groups have."""


def _add_sides(random, options, definitions, lines):
    """Adds what is compared: values of a key, two versions or two periods."""
    kind = random.choice(["values"] * 6 + ["periods"] * 4 + ["versions"])
    numbers = [definition["version"] for definition in definitions if definition["flow"] == "f1"]
    if kind == "versions" and len(numbers) > 1:
        options["versions"] = random.sample(numbers, 2)
        options["flow"] = definitions[0]["app"] + "/f1"
    elif kind == "periods":
        _add_periods(random, options, lines)
    else:
        key = random.choice(SIDES_KEYS)
        if chance(random, 0.2):
            key = random.choice(_keys(random, definitions))
        options["by"] = [key]
        kind, _, name = path_of(key).partition(".")
        values = [line.get(kind, {}).get(name) for line in lines]
        flow = Flow(definitions[0])
        texts = {segment_text(key, flow, as_text(value)) for value in values if value is not None}
        texts = sorted(texts)
        if len(texts) > 1 and chance(random, 0.7):
            options["sides"] = random.sample(texts, min(len(texts), random.choice([2, 2, 3, 4])))
        if chance(random, 0.25):
            options["drop_mixed"] = True
    if chance(random, 0.3):
        options["open_too"] = True
    # Nobody was assigned to versions and periods, so the program takes no ratio of them.
    if options.get("by") and chance(random, 0.25):
        options["ratio"] = random.choice([[50, 50], [2, 1], [10, 90]])
    if chance(random, 0.3):
        options["detect"] = random.choice([1, 2.5, 10, 20])
    if chance(random, 0.3):
        strata = ["ctx.country", "ctx.n", "ctx.app_version", "weekday"]
        options["stratify"] = random.choice([k for k in strata if [k] != options.get("by")])
    if chance(random, 0.3) and "versions" not in options:
        _name_one_flow(random, options, definitions)
        _choose_metric(random, options, definitions)


def _choose_metric(random, options, definitions):
    """Makes a metric of the one flow version that is named the primary one."""
    for definition in definitions:
        if options["flow"].endswith("/%(flow)s@%(version)d" % definition):
            required = [step["id"] for step in definition["steps"] if not step.get("optional")]
            metrics = ["conversion"] + ["reached:" + step for step in required[1:-1]]
            for name in permissions_of(definition):
                metrics += ["grant_rate:" + name, "dialog_grant_rate:" + name]
            options["metric"] = random.choice(metrics)


def _add_periods(random, options, lines):
    """Adds two periods, mostly of whole days of the zone."""
    zone = Question(options).zone
    times = sorted(parse_time(line["ts"]) for line in lines)
    day = parse_span("1d")

    def any_end():
        time = random.choice(times)
        if chance(random, 0.15):
            return time
        return first_instant(bucket_start(time, "day", zone), zone)

    options.pop("until", None)
    options["since"] = any_end()
    if chance(random, 0.6):
        options["until"] = first_instant(
            bucket_start(options["since"] + random.randint(1, 8) * day, "day", zone), zone
        )
    elif options["now"] <= options["since"]:
        options["now"] = options["since"] + random.randrange(1, 8 * day)
    options["versus"] = "previous"
    if chance(random, 0.5):
        begins = any_end()
        ends = first_instant(bucket_start(begins + random.randint(1, 8) * day, "day", zone), zone)
        if begins != options["since"]:
            options["versus"] = [begins, ends]


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
