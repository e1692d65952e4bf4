"""trend: the funnel and the grants by day, week or month (section 7).

Groups count in the bucket of their anchor, permissions in that of their first pre-prompt. Buckets
run from the first to the last anchor or pre-prompt of the row. Without `--every` they are days
where the anchors of the flow version are within 31 days, weeks within 26 weeks, else months: the
same for all segments. A segment with pre-prompts alone has a row of nobody entered, where any group
of the flow version entered. A bucket is closed where its last instant + window <= now.
"""

from ..answers import Answer, counted_answers
from ..measures import rated
from ..moments import bucket_name, bucket_start, first_instant, next_bucket
from ..segments import Segments, counted_groups, head
from .funnel import counts


def trend_report(groups, question):
    """Returns the rows of `funnel report trend`."""
    segments = Segments(question)
    entered = counted_groups(groups, question)
    entries = {}
    for group in entered:
        segments.add(group, group.chain.anchor, group)
        entries.setdefault(group.flow.key, []).append(_moment(group))
    for given in counted_answers(groups, lambda flow: flow.permissions, question):
        segments.add(given.group, given.prompt, given)

    def build(flow, by, members):
        if flow.key not in entries:
            return None
        first, last = min(entries[flow.key]), max(entries[flow.key])
        unit = question.every or _unit(first, last, question.zone)
        return _row(flow, by, members, unit, question)

    return segments.rows(build, size=lambda members: len(_groups(members)))


def _groups(members):
    return [member for member in members if not isinstance(member, Answer)]


def _moment(member):
    """Returns the time that a group or an answer counts by."""
    return member.prompt.time if isinstance(member, Answer) else member.chain.anchor.time


def _row(flow, by, members, unit, question):
    times = [_moment(member) for member in members]
    row = head(flow, by)
    del row["by"]
    row.update(every=unit, by=by, buckets=[])
    day = bucket_start(min(times), unit, question.zone)
    while day <= bucket_start(max(times), unit, question.zone):
        inside = [
            member
            for member in members
            if bucket_start(_moment(member), unit, question.zone) == day
        ]
        row["buckets"].append(_bucket(flow, day, unit, inside, question))
        day = next_bucket(day, unit)
    return row


def _unit(first, last, zone):
    days = (bucket_start(last, "day", zone) - bucket_start(first, "day", zone)).days + 1
    weeks = (bucket_start(last, "week", zone) - bucket_start(first, "week", zone)).days // 7 + 1
    if days <= 31:
        return "day"
    return "week" if weeks <= 26 else "month"


def _bucket(flow, day, unit, members, question):
    end = next_bucket(day, unit)
    last_instant = first_instant(end, question.zone) - 1
    bucket = {"bucket": bucket_name(day, unit), "start": day.isoformat(), "end": end.isoformat()}
    bucket["closed"] = last_instant + question.window_of(flow) <= question.now
    bucket.update(counts(flow, [group.chain for group in _groups(members)], question))
    bucket["permissions"] = []
    for permission in flow.permissions:
        answers = [
            member
            for member in members
            if isinstance(member, Answer) and member.permission is permission
        ]
        granted = sum(given.outcome == "granted" for given in answers)
        row = {"permission": permission.name, "prompted": len(answers), "granted": granted}
        row.update(rated("grant_rate", granted, len(answers)))
        bucket["permissions"].append(row)
    return bucket
