"""next: what followed the first event of `--after` in [since, until), as a tree (section 7).

The following events of the flow within the window, equal neighbours collapsed; most first, ties by
name, those with nothing more last, beyond twelve at a level `(other)`. `completed` are the groups
that matched the last required step later than that event, within the window from it.
"""

from ..conditions import satisfies_all
from ..flows import KeyMatcher
from ..segments import Segments, head

BRANCHES_MAX = 12


def next_report(groups, question):
    """Returns the rows of `funnel report next`."""
    key = KeyMatcher(question.after)
    segments = Segments(question)
    for group in groups:
        if not question.asks_for(group.flow):
            continue
        first = _first(group, key, question)
        if first is None or not satisfies_all(group, first, question):
            continue
        end = first.time + group.window
        if end <= question.now or not question.mature:
            segments.add(group, first, _path(group, first, end))

    def build(flow, by, paths):
        row = head(flow, by)
        row.update(groups=len(paths), completed=sum(completed for _, completed in paths))
        row["next"] = _branches(paths, question.levels)
        return row

    return segments.rows(build)


def _first(group, key, question):
    for event in group.events:
        if question.covers(event.time) and key.matches(event, [group.flow]):
            return event
    return None


def _path(group, first, end):
    """Returns the names that follow, and whether the group completed."""
    names = []
    for event in group.after(first, until=end):
        if not names or names[-1] != event.shown_name:
            names.append(event.shown_name)
    last = group.chain.matches.get(group.flow.required[-1]) if group.chain else None
    return names, last is not None and last.place > first.place and last.time <= end


def _branches(paths, levels):
    following = {}
    ended = []
    for names, completed in paths:
        if names:
            following.setdefault(names[0], []).append((names[1:], completed))
        else:
            ended.append((names, completed))
    ordered = sorted(following.items(), key=lambda entry: (-len(entry[1]), entry[0].encode()))
    branches = [
        _branch(name, members, len(paths), levels - 1) for name, members in ordered[:BRANCHES_MAX]
    ]
    others = [path for _, members in ordered[BRANCHES_MAX:] for path in members]
    if others:
        branches.append(_branch("(other)", others, len(paths), levels - 1))
    if ended:
        branches.append(_branch(None, ended, len(paths), 0))
    return branches


def _branch(name, paths, total, levels):
    return {
        "event": name,
        "count": len(paths),
        "share": len(paths) / total,
        "completed": sum(completed for _, completed in paths),
        "next": _branches(paths, levels) if levels else [],
    }
