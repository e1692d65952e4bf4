"""Groups: which version folds an event, the order of events, and entries (sections 1 and 3)."""

from .chain import find_chain, match_chain
from .flows import rank_of
from .values import is_in_range


class Group:
    """The events of one subject, one attempt or one entry, in one flow version, in order.

    `entry` is the number of the entry, 0 where groups are no entries.
    """

    def __init__(self, flow, subject, attempt, window, entry=0):
        self.flow = flow
        self.subject = subject
        self.attempt = attempt
        self.entry = entry
        self.window = window
        self.events = []
        self.chain = None

    @property
    def key(self):
        """What tells a group from every other."""
        return self.flow.key + (self.subject, self.attempt, self.entry)

    def hold(self, events):
        """Makes these the group's events, which are in order."""
        self.events = events
        for place, event in enumerate(events):
            event.place = place

    def after(self, event, until=None):
        """Returns the events later in the order, up to and including the time `until`."""
        return [
            later
            for later in self.events[event.place + 1 :]
            if until is None or later.time <= until
        ]

    def before(self, event):
        """Returns the events earlier in the order."""
        return self.events[: event.place]


def order_key(flow, event):
    """Returns what events are sorted by: ts, seq, step entered (none: the number of steps), rank,
    id.
    """
    entered = event.enters[0] if event.enters else len(flow.steps)
    return (event.time, event.sequence, entered, rank_of(event), event.id.encode(), event.part)


def choose_version(event, versions):
    """Returns the flow version an event is of, or None if it names one that does not exist.

    `versions` are those of one flow by number. A version is chosen before anyone asks whether it
    declares the event.
    """
    names_this_flow = event.flow in (None, next(iter(versions.values())).name)
    if event.flow_version is not None and names_this_flow:
        return versions.get(event.flow_version)
    build = event.ctx.get("app_version")
    fitting = [
        number
        for number, flow in versions.items()
        if "app_versions" in flow.definition and is_in_range(build, flow.definition["app_versions"])
    ]
    return versions[max(fitting or versions)]


def _folds(flow, event, question):
    """Returns whether the chosen version folds the event: it names the flow, or is declared and may
    come from where it does.
    """
    if event.flow == flow.name:
        return True
    if event.flow is not None:
        sources = flow.definition.get("from_flows", [])
        if sources != "*" and event.flow not in sources:
            return False
    return flow.declares(event) or event.name in question.exclude


def make_groups(events, flows, question):
    """Returns all groups, with their events sorted and their chains found."""
    versions = {}
    for flow in flows:
        versions.setdefault((flow.app, flow.name), {})[flow.version] = flow
    groups = {}
    for event in events:
        if event.time > question.now:
            continue
        for (app, _), numbered in versions.items():
            if app != event.app:
                continue
            flow = choose_version(event, numbered)
            if flow is not None and _folds(flow, event, question):
                _add(event, flow, groups, question)
    return _finish(groups, question)


def make_ad_hoc_groups(events, flow, question):
    """Returns the groups of an ad hoc flow, which takes an event whatever flow it names."""
    groups = {}
    for event in events:
        if event.time > question.now or event.app != flow.app:
            continue
        if flow.declares(event) or event.name in question.exclude:
            _add(event, flow, groups, question)
    return _finish(groups, question)


def _add(event, flow, groups, question):
    attempt = event.attempt if question.counts_attempts(flow) else None
    key = flow.key + (event.subject, attempt)
    if key not in groups:
        groups[key] = Group(flow, event.subject, attempt, question.window_of(flow))
    for part, upcast in enumerate(flow.upcast(event)):
        member = upcast.copy()
        member.part = part
        member.enters = flow.entered_steps(member)
        groups[key].events.append(member)


def _finish(groups, question):
    finished = []
    for group in groups.values():
        group.hold(sorted(group.events, key=lambda event: order_key(group.flow, event)))
        finished += _entries(group, question) if question.counts_entries(group.flow) else [group]
    for group in finished:
        group.chain = find_chain(group, question)
    return finished


def _entries(person, question):
    """Returns the entries of a person's events, each a group; events before the first belong to
    it. Where nothing begins, all events are one group.
    """
    cuts = _beginnings(person, question)[1:]
    bounds = [0] + cuts + [len(person.events)]
    entries = []
    for number, (first, last) in enumerate(zip(bounds, bounds[1:])):
        entry = Group(person.flow, person.subject, None, person.window, number)
        entry.hold(person.events[first:last])
        entries.append(entry)
    return entries


def _beginnings(person, question):
    """Returns the places of the events that begin an entry.

    One is open up to the event that matches its last required step, which begins none, or until
    its window is over.
    """
    beginnings = []
    place = 0
    while place < len(person.events):
        event = person.events[place]
        place += 1
        if not person.flow.is_start(event, question.order):
            continue
        beginnings.append(event.place)
        chain = match_chain(person, event, question)
        inside = person.after(event, until=chain.end)
        if chain.is_completed:
            place = chain.last_match.place + 1
        elif inside:
            place = inside[-1].place + 1
    return beginnings
