"""The chain of a group: anchor, matches, exclusions and optional steps (section 3, Funnel)."""

from .moments import parse_span


class Chain:
    """The chain of a group.

    `matches` has the event that matched each required step, by the step's index, `sequence` the
    same events in order, and `entries` the event that entered each optional step. `cut` is the
    place of the event that excluded the group, or None.
    """

    def __init__(self, group, anchor, matches, cut, question):
        flow = group.flow
        self.anchor = anchor
        self.matches = matches
        self.sequence = sorted(matches.values(), key=lambda event: event.place)
        self.cut = cut
        self.end = anchor.time + group.window
        self.level = len(matches)
        self.is_excluded = cut is not None
        self.is_completed = self.level == len(flow.required) and not self.is_excluded
        self.is_closed = self.end <= question.now
        later = group.after(anchor, until=self.end)
        # The anchor may be an outcome itself: a restored purchase enters a paywall.
        self.outcome_events = [event for event in [anchor] + later if flow.outcome(event)]
        has_ended = any(flow.ends(event) for event in self.outcome_events)
        is_open = not self.is_completed and not self.is_excluded and not self.is_closed
        self.is_in_progress = is_open and not has_ended
        self.is_dropped = not (self.is_completed or self.is_excluded or self.is_in_progress)
        self.is_finished_out_of_order = (
            self.is_dropped
            and question.order != "any"
            and any(flow.required[-1] in event.enters for event in later)
        )
        self.entries = {} if question.order == "any" else self._find_entries(group)

    def event_at(self, place):
        """Returns the event that matched or entered the step with this index, or None."""
        return self.matches.get(place) or self.entries.get(place)

    @property
    def last_match(self):
        """The match of the highest level."""
        return self.sequence[-1]

    def _find_entries(self, group):
        flow = group.flow
        entries = {}
        for place in range(len(flow.steps)):
            if not flow.is_optional(place):
                continue
            before, behind = flow.required_before(place), flow.required_behind(place)
            if before is not None and before not in self.matches:
                continue
            candidates = group.events if before is None else group.after(self.matches[before])
            limit = None
            if behind in self.matches and behind != flow.required[-1]:
                limit = self.matches[behind].place
            for event in candidates:
                if event.time > self.end or (self.cut is not None and event.place >= self.cut):
                    break
                if limit is not None and event.place > limit:
                    break
                if place in event.enters:
                    entries[place] = event
                    break
        return entries


def find_chain(group, question):
    """Returns the chain of the group's anchor, or None without one.

    The anchor is the first start of the group, whatever `since` and `until` say; with
    `--anchor best`, of the starts in [since, until) the one with the highest level, of those the
    earliest.
    """
    starts = [event for event in group.events if group.flow.is_start(event, question.order)]
    if question.anchor == "first":
        return match_chain(group, starts[0], question) if starts else None
    best = None
    for anchor in starts:
        if question.covers(anchor.time):
            chain = match_chain(group, anchor, question)
            if best is None or chain.level > best.level:
                best = chain
    return best


def match_chain(group, anchor, question):
    """Returns the chain from an anchor, cut in front of the first excluded event."""
    if question.order == "any":
        matches = _match_any(group, anchor)
    else:
        matches = _match_in_order(group, anchor, question)
    cut = _excluded_place(group, anchor, matches, question)
    if cut is not None:
        matches = {place: event for place, event in matches.items() if event.place < cut}
    return Chain(group, anchor, matches, cut, question)


def _match_any(group, anchor):
    """Returns the first entry of each required step from the anchor on, in any order."""
    matches = {}
    for event in [anchor] + group.after(anchor, until=anchor.time + group.window):
        for place in event.enters:
            if place in group.flow.required:
                matches.setdefault(place, event)
    return matches


def _match_in_order(group, anchor, question):
    """Returns the matches of the required steps, one after the other, as far as they go."""
    flow = group.flow
    matches = {flow.required[0]: anchor}
    previous = anchor
    for place in flow.required[1:]:
        match = _next_match(group, place, previous, anchor.time + group.window, question)
        if match is None:
            break
        matches[place] = match
        previous = match
    return matches


def _next_match(group, place, previous, end, question):
    required = group.flow.required
    for event in group.after(previous, until=end):
        is_fitting = place in event.enters and _keeps_time(group.flow.steps[place], previous, event)
        if is_fitting:
            return event
        if question.order == "strict" and any(entered in required for entered in event.enters):
            return None
    return None


def _keeps_time(step, previous, event):
    """Returns whether an event comes within the step's `window` and not before its `min_gap`."""
    if "window" in step and event.time > previous.time + parse_span(step["window"]):
        return False
    return "min_gap" not in step or event.time >= previous.time + parse_span(step["min_gap"])


def _excluded_place(group, anchor, matches, question):
    """Returns the place of the first event that excludes the group, or None.

    Such an event comes after the match of `after` and before that of `before` or, where that is not
    matched, within the window. By default these are the first and the last required step.
    """
    flow = group.flow
    places = []
    for exclusion in flow.exclusions + [{"event": name} for name in question.exclude]:
        after = flow.index[exclusion["after"]] if "after" in exclusion else flow.required[0]
        before = flow.index[exclusion["before"]] if "before" in exclusion else flow.required[-1]
        if after not in matches:
            continue
        for event in group.after(matches[after], until=anchor.time + group.window):
            if before in matches and event.place >= matches[before].place:
                break
            if event.name == exclusion["event"]:
                places.append(event.place)
                break
    return min(places) if places else None
