"""What is asked of a report: the options of section 3."""

import copy
from zoneinfo import ZoneInfo

from .moments import parse_span


class Question:
    """The options of one report, read from the plain values of a random case.

    `after` and `levels` belong to `next`, `every` to `trend`; `steps` and `app` make an ad hoc
    funnel.
    """

    def __init__(self, options):
        self.now = options["now"]
        self.since = options.get("since")
        self.until = options.get("until")
        self.window = parse_span(options["window"]) if "window" in options else None
        self.order = options.get("order", "ordered")
        self.count_by = options.get("count_by")
        self.by = options.get("by", [])
        self.where = options.get("where", [])
        self.attribution = options.get("attribution", "anchor")
        self.mature = options.get("mature", False)
        self.zone = ZoneInfo(options.get("tz", "UTC"))
        self.flow = options.get("flow")
        self.exclude = options.get("exclude", [])
        self.every = options.get("every")
        self.after = options.get("after")
        self.levels = options.get("levels", 3)
        self.steps = options.get("steps")
        self.app = options.get("app")

    def covers(self, milliseconds):
        """Returns whether since <= time < until."""
        begins = self.since is None or milliseconds >= self.since
        return begins and (self.until is None or milliseconds < self.until)

    def about_all_time(self):
        """Returns the same question without since and until."""
        question = copy.copy(self)
        question.since = question.until = None
        return question

    def asks_for(self, flow):
        """Returns whether `--flow` leaves this flow version in the report."""
        name = flow.app + "/" + flow.name
        return self.flow is None or self.flow in (name, "%s@%d" % (name, flow.version))

    def window_of(self, flow):
        """Returns the window in milliseconds: the query's, else the flow's own."""
        return flow.window if self.window is None else self.window

    def counts_attempts(self, flow):
        """Returns whether each attempt is a group of its own."""
        return (self.count_by or flow.count_by) == "attempt"

    def excludes(self, flow):
        """Returns whether rows of this flow have the key `excluded`: where the query or the flow
        has an exclusion.
        """
        return bool(flow.exclusions or self.exclude)
