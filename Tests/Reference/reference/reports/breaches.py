"""breaches: which rules of a definition were broken, and those that hold for every flow (section
7).

Over every group with an event in [since, until), in the segment of its first such event, wherever
in the group the rule is broken. One row a rule and target; `checked` are the groups with an event
that the rule looks at, `examples` up to five subjects, the smallest by bytes.
"""

from ..conditions import satisfies_all
from ..measures import rated
from ..rules import checks
from ..segments import Segments, head

EXAMPLES_MAX = 5


def breaches_report(groups, question):
    """Returns the rows of `funnel report breaches`."""
    segments = Segments(question)
    for group, first in reported_groups(groups, question):
        segments.add(group, first, group)

    def build(flow, by, members):
        row = head(flow, by)
        broken = set()
        rules = []
        for check in checks(flow, groups, question):
            breaking = breaking_groups(check, members)
            broken |= {group.key for group in breaking}
            rules.append(_rule(check, members, breaking))
        row.update(groups=len(members), breached=len(broken), rules=rules)
        return row

    return segments.rows(build)


def reported_groups(groups, question):
    """Returns the groups that the options leave, each with its first event in [since, until)."""
    found = []
    for group in groups:
        first = next((event for event in group.events if question.covers(event.time)), None)
        if (
            first is not None
            and question.asks_for(group.flow)
            and satisfies_all(group, first, question)
        ):
            found.append((group, first))
    return found


def breaking_groups(check, groups):
    """Returns the groups that broke a rule at any of the events it looks at."""
    return [group for group in groups if any(check.verdicts(group))]


def _rule(check, members, breaking):
    checked = sum(bool(check.verdicts(group)) for group in members)
    row = {"rule": check.rule, "target": check.target, "checked": checked, "broken": len(breaking)}
    row.update(rated("share", len(breaking), checked))
    subjects = {group.subject for group in breaking}
    row["examples"] = sorted(subjects, key=lambda subject: subject.encode())[:EXAMPLES_MAX]
    return row
