"""Stays at steps (section 7): the events from a step's match, or an optional step's entry, up to
the next later match of a required step, or to the end of the window.
"""


class Stay:
    """The stay of one group at one step that it reached."""

    def __init__(self, group, place):
        chain, step = group.chain, group.flow.steps[place]
        self.start = chain.event_at(place)
        later = [match for match in chain.sequence if match.place > self.start.place]
        self.next_match = later[0] if later else None
        events = [self.start] + group.after(self.start, until=chain.end)
        if self.next_match is not None:
            events = [event for event in events if event.place < self.next_match.place]
        self.completions = _of_step(events, "step_completed", step)
        self.skips = _of_step(events, "step_skipped", step)
        if "permission" in step:
            skip = "perm_" + step["permission"] + "_skipped"
            self.skips += [event for event in events if event.name == skip]
        self.backs = _of_step(events, "step_back", step)
        self.failures = _of_step(events, "step_failed", step)
        self.views = [event for event in events if place in event.enters]

    @property
    def milliseconds(self):
        """How long it took to complete the step, else to come to the next one, or None."""
        end = self.completions[0] if self.completions else self.next_match
        return None if end is None else end.time - self.start.time


def _of_step(events, name, step):
    return [event for event in events if event.name == name and event.step == step["id"]]
