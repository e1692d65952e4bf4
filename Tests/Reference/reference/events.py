"""Events as a report reads them: corrected clocks, duplicates left out (sections 1 and 2)."""

import copy

from .moments import UNIT_MILLISECONDS, parse_time
from .values import equal


class Event:
    """One event. `enters` and `place` are set once it is in a group: the steps it enters, and its
    index in the order.
    """

    def __init__(self, line):
        self.name = line["name"]
        self.time = parse_time(line["ts"])
        if "sent_at" in line and "received_at" in line:
            self.time += parse_time(line["received_at"]) - parse_time(line["sent_at"])
        self.subject = line["subject"]
        self.app = line["app"]
        self.id = line["id"]
        self.flow = line.get("flow")
        self.flow_version = line.get("flow_version")
        self.attempt = line.get("attempt")
        self.sequence = line.get("seq", 0)
        self.step = line.get("step")
        self.props = line.get("props", {})
        self.ctx = line.get("ctx", {})
        self.part = 0
        self.enters = []
        self.place = None

    def copy(self):
        """Returns a copy, for each flow numbers the events of a group anew."""
        return copy.copy(self)

    def value(self, path):
        """Returns the value of `step`, `props.KEY` or `ctx.KEY`, or None if it is absent."""
        if path == "step":
            return self.step
        kind, _, key = path.partition(".")
        return (self.props if kind == "props" else self.ctx).get(key)

    def satisfies(self, condition):
        """Returns whether every path of a definition's `where` has the value it gives."""
        return all(equal(self.value(path), value) for path, value in condition.items())

    @property
    def shown_name(self):
        """The name, with `:step` where there is one."""
        return self.name if self.step is None else self.name + ":" + self.step


def read_events(lines, now):
    """Returns the events of the lines: of duplicates the earliest, none more than a day after
    `now`.
    """
    kept = {}
    for line in lines:
        event = Event(line)
        if event.time > now + UNIT_MILLISECONDS["d"]:
            continue
        key = (event.app, event.subject, event.name, event.id)
        if key not in kept or event.time < kept[key].time:
            kept[key] = event
    return list(kept.values())
