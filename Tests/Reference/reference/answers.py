"""What became of a permission in a group (section 3, Grant rate)."""

from .conditions import satisfies_all
from .flows import action_of, answer_of, DIALOG_ANSWERS


class Answer:
    """The outcome of one permission for one group, from its first pre-prompt P."""

    def __init__(self, group, permission, prompt, question):
        self.group = group
        self.permission = permission
        self.prompt = prompt
        end = prompt.time + group.window
        later = group.after(prompt, until=end)
        decisions = [event for event in later if answer_of(event, permission.name)]
        answers = [answer_of(event, permission.name) for event in decisions]
        self.is_closed = end <= question.now
        if answers:
            self.outcome = answers[-1]
        elif any(_goes_on(group.flow, permission, event) for event in later):
            tapped = any(action_of(event, permission.name) == "enable_tapped" for event in later)
            self.outcome = "denied" if tapped else "skipped"
        else:
            self.outcome = "unanswered" if self.is_closed else "in_progress"
        self.is_recovered = (
            bool(answers)
            and answers[0] in ("denied", "skipped")
            and self.outcome in ("granted", "limited")
        )
        self.is_recovered_via_settings = self.is_recovered and self._went_to_settings(
            decisions[0], decisions[-1]
        )
        self.decision_milliseconds = decisions[0].time - prompt.time if decisions else None

    def _went_to_settings(self, first, last):
        """Returns whether the settings were opened between two decisions, and nothing asked again
        from then on.
        """
        names = self.group.flow.settings_events
        events = self.group.events
        between = events[events.index(first) + 1 : events.index(last)]
        opened = [place for place, event in enumerate(between) if event.name in names]
        if not opened:
            return False
        flow, permission = self.group.flow, self.permission
        return not any(flow.is_pre_prompt(event, permission) for event in between[opened[-1] :])


def _goes_on(flow, permission, event):
    """Returns whether the flow went on without a decision: to a later step, or a permission further
    on in the screen.
    """
    if any(place > permission.step for place in event.enters):
        return True
    if permission.ask is None:
        return False
    for other in flow.permissions:
        is_further = (
            other.step == permission.step and other.ask is not None and other.ask > permission.ask
        )
        if is_further and flow.is_pre_prompt(event, other):
            return True
    return False


def answer(group, permission, question):
    """Returns the answer of a group, whatever `since` and `until` say, or None if it was never
    asked.
    """
    for event in group.events:
        if group.flow.is_pre_prompt(event, permission):
            return Answer(group, permission, event, question)
    return None


def counted_answers(groups, permission_of_flow, question):
    """Returns the answers that the options leave; `permission_of_flow` tells the permissions that
    are asked for.
    """
    found = []
    for group in groups:
        if not question.asks_for(group.flow):
            continue
        for permission in permission_of_flow(group.flow):
            given = answer(group, permission, question)
            if given is None or not question.covers(given.prompt.time):
                continue
            if not satisfies_all(group, given.prompt, question):
                continue
            if given.is_closed or not question.mature:
                found.append(given)
    return found


def is_unprimed(group, permission, question):
    """Returns whether the first answer of the system's dialog is in the range of the query and has
    no earlier pre-prompt in the group.
    """
    for event in group.events:
        if group.flow.is_pre_prompt(event, permission):
            return False
        if action_of(event, permission.name) in DIALOG_ANSWERS:
            return question.covers(event.time)
    return False
