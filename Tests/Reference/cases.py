"""Cases: definitions, a log, options; what the program prints for one, and what the reference
expects.
"""

import json
import os
import random
import shlex
import subprocess
from collections import namedtuple
from pathlib import Path

from difference import first_difference
from random_flows import chance, random_flows
from random_logs import random_log
from random_questions import random_options, random_selections
from reference.events import read_events
from reference.flows import AdHocFlow, Flow
from reference.groups import make_ad_hoc_groups, make_groups
from reference.listing import list_groups
from reference.moments import format_time, short_time
from reference.question import Question
from reference.reports import REPORTS
from reference.reports.comparison import Unanswerable, compare_report
from reference.rules import checks

BUILT_IN_FOLDER = Path(__file__).resolve().parent.parent.parent / "Schemas" / "flows"
BUILT_IN_APPS = ("cleaner", "trendy", "clarity", "smilepile", "clarity")

SECONDS_MAX = 60
"""How long the program may take for a case of a few hundred lines."""

USAGE_CODE = 64
"""The exit code of a question that has no answer."""

Case = namedtuple("Case", "report definitions are_random lines options selections")
"""A report and what it is asked for; `selections` are those of `groups`, each of them a question of
its own.
"""


def random_case(seed, report):
    """Returns the case of a seed, the same every time."""
    source = random.Random("%s %d" % (report, seed))
    are_random = chance(source, 0.75)
    definitions = (
        random_flows(source) if are_random else _built_in_flows(source.choice(BUILT_IN_APPS))
    )
    lines = random_log(source, definitions, are_random, many=report == "compare")
    options = random_options(source, report, definitions, lines)
    selections = _selections(source, definitions, options) if report == "groups" else []
    return Case(report, definitions, are_random, lines, options, selections)


def _built_in_flows(app):
    flows = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(BUILT_IN_FOLDER.glob(app + ".*.json"))
    ]
    return [flow for flow in flows if flow["app"] == app]


def _selections(source, definitions, options):
    question = Question(options)
    flow = next(flow for flow in map(Flow, definitions) if question.asks_for(flow))
    rules = [(check.rule, check.target) for check in checks(flow, [], question)]
    selections = random_selections(source, flow.definition, rules)
    return [selection for selection in selections if _is_told(selection, question)]


def _is_told(selection, question):
    """Returns whether the report has a number for a selection under these options."""
    if "breach" in selection:
        return not question.mature
    return selection.get("state") != "unprimed" or not (question.where or question.mature)


class Program:
    """The program under test, with a folder for its inputs."""

    def __init__(self, executable, folder):
        self.executable = str(Path(executable).resolve())
        self.folder = Path(folder)
        self.environment = {
            key: value for key, value in os.environ.items() if not key.startswith("FUNNEL_")
        }

    def write(self, case):
        """Writes the log and, where they are not the built-in ones, the definitions of a case."""
        definitions = self.folder / "flows"
        definitions.mkdir(exist_ok=True)
        for old in definitions.iterdir():
            old.unlink()
        if case.are_random:
            for flow in case.definitions:
                name = "%s.%s.v%d.json" % (flow["app"], flow["flow"], flow["version"])
                (definitions / name).write_text(json.dumps(flow), encoding="utf-8")
        text = "".join(json.dumps(line) + "\n" for line in case.lines)
        (self.folder / "log.ndjson").write_text(text, encoding="utf-8")

    def arguments(self, case, selection=None):
        """Returns the words of a command line."""
        if case.report == "groups":
            words = (
                ["groups"] + ([selection["state"]] if "state" in selection else []) + ["log.ndjson"]
            )
            for key in ("step", "permission", "outcome", "breach"):
                words += ["--" + key, selection[key]] if key in selection else []
        elif case.report == "compare":
            words = ["compare", "log.ndjson"]
        else:
            words = ["report", case.report, "log.ndjson"]
        if case.are_random:
            words += ["--schemas", "flows"]
        return words + _option_words(case.options) + ["--format", "json", "--threads", "1"]

    def difference(self, case):
        """Returns a sentence about what the program prints and the reference does not expect, or
        None.
        """
        rows = expected_rows(case) if case.report != "groups" else []
        if rows is None:
            return None
        self.write(case)
        for selection in asked_selections(case):
            words = self.arguments(case, selection)
            result = subprocess.run(
                [self.executable] + words,
                cwd=self.folder,
                env=self.environment,
                capture_output=True,
                encoding="utf-8",
                timeout=SECONDS_MAX,
            )
            if case.report == "compare" and not rows and result.returncode == USAGE_CODE:
                # Nobody is on any side, or not yet.
                continue
            if result.returncode != 0:
                return "exit code %d: %s (funnel %s)" % (
                    result.returncode,
                    result.stderr.strip(),
                    shlex.join(words),
                )
            printed = json.loads(result.stdout)
            difference = (
                _listing_difference(printed, case, selection)
                if selection
                else _report_difference(printed, rows, case)
            )
            if difference:
                return "%s (funnel %s)" % (difference, shlex.join(words))
        return None


def asked_selections(case):
    """Returns the selections of `groups`; of a report there is nothing to select."""
    return case.selections if case.report == "groups" else [None]


def _option_words(options):
    words = []
    zone = Question(options).zone
    for name, value in options.items():
        if name == "versus" and value != "previous":
            ends = [short_time(end, zone) or format_time(end) for end in value]
            words += ["--versus", "..".join(ends)]
        elif name in ("sides", "versions"):
            words += ["--" + name, ",".join(map(str, value))]
        elif name == "ratio":
            words += ["--ratio", "%d:%d" % tuple(value)]
        elif name in ("now", "since", "until"):
            words += ["--" + name, format_time(value)]
        elif name in ("by", "where", "exclude"):
            for element in value:
                words += ["--" + name, element]
        elif name in ("mature", "open_too", "drop_mixed"):
            words.append("--" + name.replace("_", "-"))
        elif name == "steps":
            words += ["--steps", ",".join(value)]
        elif name == "levels":
            words += ["--steps", str(value)]
        else:
            words += ["--" + name.replace("_", "-"), str(value)]
    return words


def expected_groups(case, question):
    """Returns the groups of a case as the reference makes them at the question's `now`, which may
    be earlier than that of the case.
    """
    flows = [Flow(definition) for definition in case.definitions]
    events = read_events(case.lines, case.options["now"])
    if question.steps is None:
        return make_groups(events, flows, question)
    return make_ad_hoc_groups(events, AdHocFlow(question.steps, question.app, flows), question)


def expected_rows(case):
    """Returns the rows of a report, or None where `compare` has no two sides."""
    question = Question(case.options)
    if case.report != "compare":
        return REPORTS[case.report](expected_groups(case, question), question)
    try:
        return compare_report(
            lambda now: expected_groups(case, question.with_changes(now=now)), question
        )
    except Unanswerable:
        return None


def _report_difference(printed, rows, case):
    rows = json.loads(json.dumps(rows))
    if case.report == "breaches":
        for row in printed["breaches"]:
            for rule in row["rules"]:
                del rule["description"]
    if case.report == "compare":
        # A row of sides on which nobody counts says why in its verdict; it has no numbers.
        printed["compare"] = [row for row in printed["compare"] if row["a"]["entered"] or row["b"]["entered"]]
        _leave_out_labels(printed["compare"], rows)
    return first_difference(printed[case.report], rows)


def _leave_out_labels(printed, expected):
    """Leaves out the labels that the specification does not give: those of metrics, and of periods
    that are not whole days.
    """
    for row, other in zip(printed, expected):
        for letter in "ab":
            if other[letter]["label"] is None:
                row[letter]["label"] = None
        for metric in row["metrics"]:
            metric["label"] = None


def _listing_difference(printed, case, selection):
    """Compares subjects, attempts and, of states of the funnel, anchors and levels; and the count
    with the report's number.
    """
    question = Question(case.options)
    groups = expected_groups(case, question)
    listed = list_groups(groups, question, selection)
    number = _reported_number(groups, question, selection)
    if not len(listed) == number == printed["count"]:
        found = (printed["count"], len(listed), number)
        return "/count: %d printed, %d groups expected, %d in the report" % found
    keys = ["subject", "attempt"]
    expected = [{"subject": group.subject, "attempt": group.attempt} for group in listed]
    if "permission" not in selection and "breach" not in selection:
        keys += ["anchor", "level"]
        for row, group in zip(expected, listed):
            row.update(anchor=format_time(group.chain.anchor.time), level=group.chain.level)
    rows = [{key: row[key] for key in keys} for row in printed["groups"]]
    return first_difference(rows, expected, "/groups")


def _reported_number(groups, question, selection):
    """Returns the number of the report that a list is behind."""
    if "breach" in selection:
        target = selection.get("permission", selection.get("step"))
        rows = REPORTS["breaches"](groups, question)
        rules = [rule for row in rows for rule in row["rules"]]
        return sum(
            rule["broken"]
            for rule in rules
            if (rule["rule"], rule["target"]) == (selection["breach"], target)
        )
    if "permission" in selection:
        rows = REPORTS["grants"](groups, question)
        return sum(
            row.get(selection["state"], 0)
            for row in rows
            if row["permission"] == selection["permission"]
        )
    if "outcome" in selection:
        outcomes = [
            outcome for row in REPORTS["outcomes"](groups, question) for outcome in row["outcomes"]
        ]
        return sum(
            outcome["count"] for outcome in outcomes if outcome["id"] == selection["outcome"]
        )
    rows = REPORTS["funnel"](groups, question)
    if "step" in selection:
        steps = [step for row in rows for step in row["steps"] if step["id"] == selection["step"]]
        return sum(step[selection["state"]] or 0 for step in steps)
    return sum(row[selection["state"]] for row in rows)
