"""access: which features are open to the groups of the funnel, in flows with `locks` (section 7).

A permission's state is its answer in the group, whatever `since` and `until` say, or `never_asked`.
Open are granted, limited and provisional, locked denied and skipped, the rest is undecided;
skipped, never asked and unanswered ones can be asked, denied ones only be changed in the settings.
"""

from collections import Counter

from ..answers import answer
from ..measures import rated
from ..segments import chain_rows, head


def access_report(groups, question):
    """Returns the rows of `funnel report access`."""

    def build(flow, by, members):
        if not flow.locks:
            return None
        states = {
            permission.name: _states(permission, members, question)
            for permission in flow.permissions
        }
        row = head(flow, by)
        row.update(entered=len(members), features=[], hints=[])
        for permission in sorted(flow.locks, key=flow.places.get):
            for feature in flow.locks[permission]:
                row["features"].append(
                    _feature(feature, permission, states[permission], len(members))
                )
        hints = [rule for rule in flow.rules if rule["rule"] == "limited_hint"]
        for rule in sorted(hints, key=lambda rule: flow.places[rule["permission"]]):
            permission = rule["permission"]
            hint = {
                "permission": permission,
                "hint": rule["hint"],
                "groups": states[permission]["limited"],
            }
            row["hints"].append(hint)
        return row

    return chain_rows(groups, question, build)


def _states(permission, members, question):
    answers = [answer(group, permission, question) for group in members]
    return Counter("never_asked" if given is None else given.outcome for given in answers)


def _feature(feature, permission, states, entered):
    open_groups = states["granted"] + states["limited"] + states["provisional"]
    locked = states["denied"] + states["skipped"]
    row = {
        "feature": feature,
        "permission": permission,
        "open": open_groups,
        "limited": states["limited"],
    }
    row["locked"] = locked
    row["undecided"] = states["unanswered"] + states["in_progress"] + states["never_asked"]
    row.update(rated("open_share", open_groups, entered))
    row.update(rated("locked_share", locked, entered))
    row["askable"] = states["skipped"] + states["never_asked"] + states["unanswered"]
    row["settings_only"] = states["denied"]
    return row
