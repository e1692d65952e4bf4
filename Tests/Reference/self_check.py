#!/usr/bin/env python3
"""Checks the reference itself: examples counted by hand, published numbers, and laws that hold for
every log.

    python3 Tests/Reference/self_check.py
"""

import random
import unittest
from datetime import date

from cases import expected_groups, expected_rows, Case, random_case
from random_flows import chance
from reference.listing import list_groups
from reference.moments import first_instant, parse_span, parse_time
from reference.question import Question
from reference.significance import (
    Sample,
    anytime,
    chi_squared_tail,
    holm,
    homogeneity,
    needed_per_side,
    newcombe,
    stratified,
    two_sided,
)

SEEDS = range(60)
"""The random cases that each law is tried on."""

FLOW = {
    "app": "zap",
    "flow": "f",
    "version": 1,
    "window": "1d",
    "steps": [
        {"id": "a", "entered_by": ["a"]},
        {"id": "b", "asks": ["push", "mic"], "entered_by": ["b"]},
        {"id": "c", "entered_by": ["c"]},
    ],
    "outcomes": {
        "closed": {"events": ["closed"], "success": False, "ends": False},
        "lost": {"events": ["lost"], "success": False},
    },
}


def at(text):
    """Returns the time `DD HH:MM` of a month."""
    day, clock = text.split(" ")
    return parse_time("2026-09-%sT%s:00Z" % (day, clock))


def line(subject, time, name, **others):
    """Returns an event of the flow."""
    return {
        "app": "zap",
        "subject": subject,
        "ts": at(time),
        "name": name,
        "id": "%s %s %s" % (subject, time, name),
        **others,
    }


def rows(report, lines, flow=FLOW, **options):
    """Returns the rows of a report about some events, long after them unless `now` is given."""
    options.setdefault("now", at("30 00:00"))
    return expected_rows(Case(report, [flow], True, lines, options, []))


def numbers(row, *keys):
    """Returns some values of a row."""
    return [row[key] for key in keys]


class EntryTests(unittest.TestCase):
    """Who is counted where (section 3, Anchor and Group)."""

    # x leaves on the 1st, begins again on the 10th, and finishes then; y does all on the 10th.
    lines = [
        line("x", "01 10:00", "a"),
        line("x", "01 10:01", "b"),
        line("x", "10 10:00", "a"),
        line("x", "10 10:01", "b"),
        line("x", "10 10:02", "c"),
        line("y", "10 12:00", "a"),
        line("y", "10 12:01", "b"),
        line("y", "10 12:02", "c"),
    ]
    keys = ("entered", "completed", "dropped", "returned")

    def test_a_person_counts_on_the_day_of_the_first_start(self):
        days = rows("funnel", self.lines, by=["day"])
        self.assertEqual(
            [numbers(row, *self.keys) for row in days], [[1, 0, 1, None], [1, 1, 0, None]]
        )

    def test_those_who_began_before_are_told_apart(self):
        (row,) = rows("funnel", self.lines, since=at("10 00:00"))
        self.assertEqual(numbers(row, *self.keys), [1, 1, 0, 1])

    def test_the_best_anchor_is_chosen_by_the_outcome(self):
        (row,) = rows("funnel", self.lines, anchor="best")
        self.assertEqual(numbers(row, *self.keys), [2, 2, 0, None])

    def test_every_start_is_an_entry(self):
        days = rows("funnel", self.lines, by=["day"], count_by="entry")
        self.assertEqual(
            [numbers(row, *self.keys) for row in days], [[1, 0, 1, None], [2, 2, 0, None]]
        )

    def test_an_open_entry_takes_another_start(self):
        lines = [line("x", "01 10:00", "a"), line("x", "02 10:00", "a"), line("x", "02 10:01", "a")]
        (row,) = rows("funnel", lines, count_by="entry")
        self.assertEqual(row["entered"], 2)

    def test_the_event_that_completes_an_entry_begins_none(self):
        flow = dict(FLOW, steps=FLOW["steps"][:2] + [{"id": "c", "entered_by": ["a"]}])
        lines = [line("x", "01 10:0%d" % minute, name) for minute, name in enumerate("abaab")]
        (row,) = rows("funnel", lines, flow, count_by="entry")
        self.assertEqual(numbers(row, "entered", "completed"), [2, 1])

    def test_in_any_order_an_entry_ends_when_all_is_matched(self):
        lines = [line("x", "01 10:0%d" % minute, name) for minute, name in enumerate("cbaacb")]
        (row,) = rows("funnel", lines, count_by="entry", order="any")
        self.assertEqual(numbers(row, "entered", "completed"), [2, 2])

    def test_events_before_the_first_entry_belong_to_it(self):
        lines = [line("x", "01 10:00", "perm_push_pre_prompt_shown", flow="f")] + [
            line("x", time, "a") for time in ("01 10:01", "03 10:00")
        ]
        (row,) = rows("grants", lines, count_by="entry")
        self.assertEqual(row["prompted"], 1)


class FunnelTests(unittest.TestCase):
    """States of groups (section 3)."""

    def test_who_finishes_in_another_order_is_told(self):
        lines = [line("x", "01 10:00", "a"), line("x", "01 10:01", "c"), line("x", "01 10:02", "b")]
        (row,) = rows("funnel", lines)
        self.assertEqual(numbers(row, "dropped", "finished_out_of_order"), [1, 1])
        (row,) = rows("funnel", lines, order="any")
        self.assertEqual(numbers(row, "completed", "finished_out_of_order"), [1, 0])

    def test_an_outcome_may_leave_the_run_open(self):
        for name, dropped in (("closed", 0), ("lost", 1)):
            lines = [line("x", "01 10:00", "a"), line("x", "01 10:01", name)]
            (row,) = rows("funnel", lines, now=at("01 11:00"))
            self.assertEqual(numbers(row, "dropped", "in_progress"), [dropped, 1 - dropped])
        (row,) = rows("dropoff", [line("x", "01 10:00", "a"), line("x", "01 10:01", "closed")])
        self.assertEqual(row["steps"][0]["exits"]["left"], 1)

    def test_drop_off_tells_what_is_open_and_what_a_step_costs(self):
        # Closed: w, x complete, y leaves at b, z at a; open: v at a.
        lines = [line(subject, "01 10:00", "a") for subject in "wxyz"] + [
            line("v", "09 10:00", "a")
        ]
        lines += [line(subject, "01 10:01", "b") for subject in "wxy"]
        lines += [line(subject, "01 10:02", "c") for subject in "wx"]
        (row,) = rows("dropoff", lines, now=at("09 11:00"))
        self.assertEqual(numbers(row, "entered", "dropped", "in_progress"), [5, 2, 1])
        first, second = row["steps"]
        self.assertEqual(first["closed"], {"reached": 4, "dropped": 1, "share": 0.25})
        self.assertEqual(numbers(first, "in_progress", "lost_completions"), [1, 2 / 3])
        self.assertEqual(numbers(second, "in_progress", "lost_completions"), [0, 1.0])

    def test_what_is_tapped_comes_before_the_answer_of_the_same_instant(self):
        names = ["granted", "enable_tapped", "pre_prompt_shown"]
        lines = [line("x", "01 10:00", "perm_push_" + name) for name in names]
        (row,) = rows("grants", lines)
        self.assertEqual(numbers(row, "prompted", "granted", "unprimed"), [1, 1, 0])


class GrantTests(unittest.TestCase):
    """Answers of permissions (section 3, Grant rate)."""

    def grant(self, *names, **options):
        """Returns the row of one permission after these events, a minute apart."""
        lines = [line("x", "01 10:%02d" % minute, name) for minute, name in enumerate(names)]
        return rows("grants", lines, **options)[0]

    def test_quiet_delivery_is_access_but_no_grant(self):
        for answer in ("provisional", "ephemeral"):
            row = self.grant("perm_push_pre_prompt_shown", "perm_push_" + answer)
            self.assertEqual(
                list(row)[5:10], ["prompted", "granted", "limited", "provisional", "denied"]
            )
            self.assertEqual(numbers(row, "provisional", "grant_rate", "access_rate"), [1, 0, 1])
            self.assertIsNone(row["dialog_grant_rate"])

    def test_a_part_of_access_is_limited(self):
        for answer in ("once", "while_using"):
            row = self.grant("perm_push_pre_prompt_shown", "perm_push_" + answer)
            self.assertEqual(row["limited"], 1)
            self.assertNotIn("provisional", row)

    def test_who_goes_on_without_an_answer_skipped_or_denied(self):
        asked = "perm_push_pre_prompt_shown"
        self.assertEqual(self.grant(asked, "perm_mic_pre_prompt_shown")["skipped"], 1)
        self.assertEqual(self.grant(asked, "perm_push_enable_tapped", "c")["denied"], 1)
        self.assertEqual(self.grant(asked)["unanswered"], 1)
        self.assertEqual(self.grant(asked, now=at("01 11:00"))["in_progress"], 1)

    def test_the_first_pre_prompt_counts_whatever_the_period(self):
        names = ["perm_push_pre_prompt_shown", "perm_push_pre_prompt_shown", "perm_push_granted"]
        lines = [line("x", "0%d 10:00" % (day + 1), name) for day, name in enumerate(names)]
        self.assertEqual(rows("grants", lines, since=at("02 00:00")), [])


class SegmentTests(unittest.TestCase):
    """Values of keys (section 3, Segments and Conditions)."""

    values = [True, "true", 4, 4.0, "4", "4.0", "1e1", 10]

    def lines(self, path="props", key="k"):
        """Returns one entry a value."""
        return [
            line("s%d" % number, "01 1%d:00" % number, "a", **{path: {key: value}})
            for number, value in enumerate(self.values)
        ]

    def subjects(self, condition, flow=FLOW, **place):
        """Returns the numbers of the values that a condition holds for."""
        options = {"now": at("30 00:00"), "where": [condition]}
        case = Case("groups", [flow], True, self.lines(**place), options, [])
        question = Question(options)
        listed = list_groups(expected_groups(case, question), question, {"state": "entered"})
        return [int(group.subject[1:]) for group in listed]

    def test_a_segment_is_its_text(self):
        found = [
            (row["by"]["props.k"], row["entered"])
            for row in rows("funnel", self.lines(), by=["props.k"])
        ]
        self.assertEqual(found, [(4, 4), (10, 2), (True, 2)])

    def test_numbers_compare_as_numbers_and_versions_as_versions(self):
        self.assertEqual(self.subjects("props.k>=4.5"), [6, 7])
        self.assertEqual(self.subjects("props.k=4"), [2, 3, 4, 5])
        self.assertEqual(self.subjects("props.k=10"), [6, 7])
        self.assertEqual(
            self.subjects("ctx.app_version=4", path="ctx", key="app_version"), [2, 3, 4]
        )
        flow = dict(FLOW, versions=["props.k"])
        self.assertEqual(self.subjects("props.k=10", flow), [7])
        self.assertEqual(self.subjects("props.k>=4", flow), [2, 3, 4, 5, 7])

    def test_subjects_are_left_out_by_name(self):
        self.assertEqual(self.subjects("subject!=s0,s1,s2"), [3, 4, 5, 6, 7])
        self.assertEqual(self.subjects("subject!~s?"), [])

    def test_hours_and_weekdays_are_those_of_the_zone(self):
        lines = [line("x", "01 23:30", "a")]
        (row,) = rows("funnel", lines, by=["hour", "weekday"], tz="Europe/Berlin")
        self.assertEqual(row["by"], {"hour": "01", "weekday": "Wed"})

    def test_a_value_that_comes_late_is_taken_where_asked(self):
        lines = [line("x", "01 10:00", "a"), line("x", "01 10:01", "b", ctx={"variant": "A"})]
        for attribution, value in (("anchor", None), ("known", "A")):
            (row,) = rows("funnel", lines, by=["ctx.variant"], attribution=attribution)
            self.assertEqual(row["by"], {"ctx.variant": value})

    def test_a_step_has_the_properties_of_its_completion(self):
        lines = [line("x", "01 10:00", "a"), line("x", "01 10:01", "b")]
        lines += [line("x", "01 10:02", "step_completed", step="b", props={"plan": "pro"})]
        (row,) = rows("funnel", lines, by=["step.b.props.plan"])
        self.assertEqual(row["by"], {"step.b.props.plan": "pro"})


class ComparisonTests(unittest.TestCase):
    """compare (section 7)."""

    def people(self, day, variant, completed, total, **others):
        """Returns people of whom so many complete."""
        lines = []
        for number in range(total):
            subject = "%s%s%d" % (day, variant, number)
            for minute, name in enumerate("abc" if number < completed else "a"):
                ctx = {"variant": variant, **others}
                lines.append(line(subject, "%02d 10:0%d" % (day, minute), name, ctx=ctx))
        return lines

    def test_pairs_have_the_same_baseline_and_are_corrected_together(self):
        lines = [
            one
            for variant, completed in (("A", 20), ("B", 30), ("C", 25))
            for one in self.people(1, variant, completed, 50)
        ]
        first, second = rows("compare", lines, by=["ctx.variant"])
        self.assertEqual([first["a"]["label"], first["b"]["label"]], ["A", "B"])
        self.assertEqual([second["a"]["label"], second["b"]["label"]], ["A", "C"])
        metrics = [row["metrics"][0] for row in (first, second)]
        self.assertEqual([metric["primary"] for metric in metrics], [True, True])
        self.assertAlmostEqual(metrics[0]["p_holm"], 2 * metrics[0]["p"])
        self.assertAlmostEqual(metrics[1]["p_holm"], metrics[1]["p"])
        self.assertEqual(first["overall"]["df"], 2)
        self.assertAlmostEqual(first["overall"]["chi2"], 4.0)

    def test_who_has_no_value_or_two_is_told(self):
        lines = self.people(1, "A", 2, 4) + self.people(1, "B", 2, 4)
        lines += [
            line("n", "01 10:00", "a"),
            line("1A0", "01 12:00", "closed", ctx={"variant": "B"}),
        ]
        (row,) = rows("compare", lines, by=["ctx.variant"])
        self.assertEqual(numbers(row, "no_value", "mixed"), [1, 1])
        (row,) = rows("compare", lines, by=["ctx.variant"], drop_mixed=True)
        self.assertEqual([row["a"]["entered"], row["mixed"]], [3, 1])

    def test_an_open_period_is_compared_at_the_same_age(self):
        # Of the days before, what came after the hour of now is not looked at.
        lines = self.people(8, "A", 1, 2) + self.people(9, "A", 1, 2)
        lines += [
            line("8A1", "08 12:00", "b"),
            line("8A1", "08 12:01", "c"),
            line("8late", "08 15:00", "a"),
        ]
        (row,) = rows("compare", lines, since=at("09 00:00"), versus="previous", now=at("09 11:00"))
        self.assertTrue(row["same_age"])
        conversion = row["metrics"][0]
        self.assertEqual([conversion[side]["count"] for side in "ab"], [1, 1])
        self.assertEqual([conversion[side]["of"] for side in "ab"], [2, 2])
        (row,) = rows(
            "compare", lines, since=at("09 00:00"), until=at("10 00:00"), versus="previous"
        )
        self.assertFalse(row["same_age"])
        self.assertEqual(row["a"], {"label": "2026-09-08..2026-09-09", "entered": 3})
        self.assertEqual(row["metrics"][0]["a"]["count"], 2)

    def test_strata_take_out_what_they_explain(self):
        # In each country both variants are alike; together A looks better.
        lines = self.people(1, "A", 30, 40, country="DE") + self.people(
            2, "B", 15, 20, country="DE"
        )
        lines += self.people(3, "A", 5, 20, country="AT") + self.people(
            4, "B", 10, 40, country="AT"
        )
        (row,) = rows("compare", lines, by=["ctx.variant"], stratify="ctx.country")
        metric = row["metrics"][0]
        self.assertAlmostEqual(metric["difference"], 25 / 60 - 35 / 60)
        self.assertAlmostEqual(metric["stratified"]["difference"], 0)
        self.assertAlmostEqual(metric["stratified"]["p"], 1)
        self.assertEqual(metric["stratified"]["strata"], 2)


class SignificanceTests(unittest.TestCase):
    """Published numbers, and what follows from definitions."""

    def test_tails_are_those_of_tables(self):
        for value, degrees in ((3.841, 1), (5.991, 2), (7.815, 3), (9.488, 4), (11.070, 5)):
            self.assertAlmostEqual(chi_squared_tail(value, degrees), 0.05, places=4)

    def test_the_tea_is_tasted(self):
        # R. A. Fisher, The Design of Experiments, 1935: 34 of 70 ways to choose.
        test, p = two_sided(Sample(3, 4), Sample(1, 4))
        self.assertEqual((test, p), ("fisher", 34 / 70))

    def test_the_interval_of_a_difference_is_the_published_one(self):
        # R. G. Newcombe, Stat. Med. 17, 1998, table II, rows a and c, method 10.
        for a, b, low, high in (
            ((48, 80), (56, 70), 0.0524, 0.3339),
            ((3, 10), (9, 10), 0.1705, 0.8090),
        ):
            interval = newcombe(Sample(*a), Sample(*b))
            self.assertAlmostEqual(interval[0], low, places=4)
            self.assertAlmostEqual(interval[1], high, places=4)

    def test_two_rates_are_tested_like_their_table(self):
        a, b = Sample(60, 200), Sample(90, 200)
        test, p = two_sided(a, b)
        self.assertEqual(test, "z")
        self.assertAlmostEqual(p, homogeneity([a, b])["p"])
        self.assertAlmostEqual(p, 0.0019457736937391)

    def test_one_stratum_is_the_table_itself(self):
        a, b = Sample(60, 200), Sample(90, 200)
        result = stratified([(a, b)])
        self.assertAlmostEqual(result["difference"], 0.15)
        chi2 = homogeneity([a, b])["chi2"] * 399 / 400
        self.assertAlmostEqual(result["p"], chi_squared_tail(chi2, 1))

    def test_sides_may_be_exchanged(self):
        strata = [(Sample(3, 9), Sample(8, 12)), (Sample(10, 30), Sample(4, 11))]
        there = stratified(strata)
        back = stratified([(b, a) for a, b in strata])
        self.assertAlmostEqual(there["p"], back["p"])
        self.assertAlmostEqual(there["difference_ci95"][0], -back["difference_ci95"][1])

    def test_p_of_any_look_and_its_interval_agree(self):
        for count in range(40, 90):
            p, (low, high) = anytime(Sample(60, 200), Sample(count, 200))
            self.assertEqual(p < 0.05, not low <= 0 <= high)

    def test_looking_every_day_finds_no_difference_where_there_is_none(self):
        source = random.Random(5)
        found = 0
        for _ in range(200):
            a, b = Sample(0, 0), Sample(0, 0)
            ever = False
            for _ in range(60):
                for side in (a, b):
                    side.total += 20
                    side.count += sum(chance(source, 0.3) for _ in range(20))
                ever = ever or anytime(a, b)[0] < 0.05
            found += ever
        self.assertLessEqual(found / 200, 0.05)

    def test_sizes_and_corrections(self):
        # J. L. Fleiss, Statistical Methods for Rates and Proportions, without correction.
        self.assertEqual(needed_per_side(Sample(60, 100), 10), 356)
        self.assertEqual(needed_per_side(Sample(1, 1), 5), needed_per_side(Sample(95, 100), 5))
        for corrected, value in zip(holm([0.01, 0.04, 0.03, 0.04]), (0.04, 0.09, 0.09, 0.09)):
            self.assertAlmostEqual(corrected, value)


class LawTests(unittest.TestCase):
    """What holds for every log (section 7, trend)."""

    def cases(self, report):
        """Returns random cases by seed, without a period and without what cuts them up."""
        cases = {}
        for seed in SEEDS:
            case = random_case(seed, report)
            options = {
                name: value
                for name, value in case.options.items()
                if name not in ("since", "until", "by", "anchor", "every")
            }
            cases[seed] = case._replace(options=options)
        return cases.items()

    def test_days_add_up(self):
        keys = ("entered", "completed", "in_progress", "dropped", "finished_out_of_order")
        for seed, case in self.cases("funnel"):
            days = expected_rows(case._replace(options=dict(case.options, by=["day"])))
            for row in expected_rows(case):
                of_row = _of_flow(row, days)
                sums = [sum(day[key] for day in of_row) for key in keys]
                self.assertEqual(sums, numbers(row, *keys), "seed %d" % seed)

    def test_a_bucket_is_the_report_of_its_period(self):
        for seed, case in self.cases("trend"):
            zone = Question(case.options).zone
            for row in expected_rows(case):
                for bucket in row["buckets"]:
                    options = dict(case.options)
                    for name, end in (("since", "start"), ("until", "end")):
                        options[name] = first_instant(date.fromisoformat(bucket[end]), zone)
                    with self.subTest(seed=seed, bucket=bucket["bucket"]):
                        self._check_bucket(case._replace(options=options), row, bucket)

    def _check_bucket(self, case, row, bucket):
        keys = ("entered", "completed", "in_progress", "dropped", "conversion")
        funnel = _of_flow(row, expected_rows(case._replace(report="funnel")))
        expected = numbers(funnel[0], *keys) if funnel else [0, 0, 0, 0, None]
        self.assertEqual(numbers(bucket, *keys), expected)
        grants = _of_flow(row, expected_rows(case._replace(report="grants")))
        asked = {one["permission"]: numbers(one, "prompted", "granted") for one in grants}
        for permission in bucket["permissions"]:
            expected = asked.get(permission["permission"], [0, 0])
            self.assertEqual(numbers(permission, "prompted", "granted"), expected)

    def test_what_is_closed_stays_as_it_is(self):
        for seed, case in self.cases("funnel"):
            now = case.options["now"]
            for hours in (1, 24, 720):
                options = dict(case.options, now=now + parse_span("%dh" % hours))
                before = self._closed_groups(case, now)
                after = self._closed_groups(case._replace(options=options), now)
                self.assertEqual(before, after, "seed %d" % seed)

    def _closed_groups(self, case, now):
        groups = expected_groups(case, Question(case.options))
        chains = {group.key: group.chain for group in groups if group.chain is not None}
        return {
            key: (chain.anchor.id, chain.level, chain.is_completed)
            for key, chain in chains.items()
            if chain.end <= now
        }


def _of_flow(row, others):
    """Returns the rows of the same flow version."""
    key = numbers(row, "app", "flow", "version")
    return [other for other in others if numbers(other, "app", "flow", "version") == key]


if __name__ == "__main__":
    unittest.main()
