"""grants: what was answered to each permission (section 3, Grant rate; section 5).

Quiet delivery (`provisional`) is access, but no grant and no dialog; its key is there only where it
is not 0. A flow that tells which event opens the system's settings (`recovered_via_settings`) has a
count of those who recovered there. A permission whose answer the system does not disclose
(`grant_undisclosed`) has that rule's `note` in its rows.
"""

from ..answers import counted_answers, is_unprimed
from ..measures import quantiles, rated
from ..segments import Segments

OUTCOMES = (
    "granted",
    "limited",
    "provisional",
    "denied",
    "skipped",
    "unanswered",
    "in_progress",
)


def grants_report(groups, question):
    """Returns the rows of `funnel report grants`: those of a permission one after the other."""
    tells_unprimed = not question.by and not question.where and not question.mature
    permissions = {}
    for group in groups:
        if question.asks_for(group.flow):
            for permission in group.flow.permissions:
                key = group.flow.key + (group.flow.places[permission.name],)
                permissions[key] = (group.flow.key, permission)
    rows = []
    for _, (flow_key, permission) in sorted(permissions.items(), key=lambda entry: entry[0]):
        members = [group for group in groups if group.flow.key == flow_key]
        unprimed = (
            sum(is_unprimed(group, permission, question) for group in members)
            if tells_unprimed
            else None
        )
        rows += _permission_rows(members, permission, unprimed, question)
    return rows


def _permission_rows(groups, permission, unprimed, question):
    def build(flow, by, answers):
        return _row(flow, permission, by, answers, unprimed)

    segments = Segments(question)
    for given in counted_answers(groups, lambda flow: [permission], question):
        segments.add(given.group, given.prompt, given)
    rows = segments.rows(build)
    if not rows and unprimed:
        rows = [build(groups[0].flow, {}, [])]
    return rows


def _row(flow, permission, by, answers, unprimed):
    counts = {outcome: sum(given.outcome == outcome for given in answers) for outcome in OUTCOMES}
    granted, limited, denied = counts["granted"], counts["limited"], counts["denied"]
    closed = [given for given in answers if given.is_closed]
    closed_granted = sum(given.outcome == "granted" for given in closed)
    row = {
        "app": flow.app,
        "flow": flow.name,
        "version": flow.version,
        "permission": permission.name,
        "by": by,
    }
    row["prompted"] = len(answers)
    provisional = counts.pop("provisional")
    for outcome, count in counts.items():
        row[outcome] = count
        if outcome == "limited" and provisional:
            row["provisional"] = provisional
    row["recovered"] = sum(given.is_recovered for given in answers)
    row["unprimed"] = unprimed
    row.update(rated("grant_rate", granted, len(answers)))
    row.update(rated("access_rate", granted + limited + provisional, len(answers)))
    row.update(rated("dialog_grant_rate", granted, granted + limited + denied))
    row["closed"] = {"prompted": len(closed), "granted": closed_granted}
    row["closed"].update(rated("grant_rate", closed_granted, len(closed)))
    times = [
        given.decision_milliseconds for given in answers if given.decision_milliseconds is not None
    ]
    row["decision_ms"] = quantiles(times)
    if flow.settings_events:
        row["recovered_via_settings"] = sum(given.is_recovered_via_settings for given in answers)
    for rule in flow.rules:
        if rule["rule"] == "grant_undisclosed" and rule["permission"] == permission.name:
            row["note"] = rule["note"]
    return row
