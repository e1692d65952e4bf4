"""Keys of `--by` and the conditions of `--where` (section 3, Segments and Conditions)."""

import re

from .chain import find_chain
from .moments import bucket_name, bucket_start
from .values import as_text, compare_versions, holds, is_number, reads_as_number


def value_at(key, group, event, question):
    """Returns the value of a key for a group, at the event it counts by."""
    if key in ("day", "week", "month"):
        return bucket_name(bucket_start(event.time, key, question.zone), key)
    if key == "version":
        return group.flow.version
    if key == "subject":
        return group.subject
    if key.startswith("step."):
        _, step, key = key.split(".", 2)
        return _value_at_step(key, group, step, question)
    value = event.value(key)
    if value is None and question.attribution == "known":
        for later in group.after(event, until=event.time + group.window):
            if later.value(key) is not None:
                return later.value(key)
    return value


def _value_at_step(key, group, step, question):
    """Returns the value at the match of a step, else at the first completion in its stay."""
    chain = group.chain or find_chain(group, question.about_all_time())
    if chain is None or step not in group.flow.index:
        return None
    event = chain.event_at(group.flow.index[step])
    if event is None:
        return None
    if event.value(key) is not None:
        return event.value(key)
    for later in [event] + group.after(event, until=chain.end):
        if later.place > event.place and later in chain.sequence:
            return None
        if later.name == "step_completed" and later.step == step:
            return later.value(key)
    return None


def satisfies_all(group, event, question):
    """Returns whether every `--where` holds."""
    return all(_satisfies(condition, group, event, question) for condition in question.where)


def _satisfies(condition, group, event, question):
    match = re.match(r"\s*(.*?)\s*(==|!=|!~|<=|>=|=|~|<|>)\s*(.*?)\s*$", condition)
    key, operator, operand = match.groups()
    value = value_at(key, group, event, question)
    if operator in ("=", "==", "!="):
        return _is_listed(value, operand) == (operator != "!=")
    if operator in ("~", "!~"):
        return _matches_glob(value, operand) == (operator != "!~")
    if value is None or isinstance(value, bool):
        return False
    if is_number(value) and reads_as_number(operand):
        number = float(operand)
        return holds(operator, (value > number) - (value < number))
    comparison = compare_versions(as_text(value), operand)
    return comparison is not None and holds(operator, comparison)


def _is_listed(value, operand):
    """Returns whether a value is listed; an empty element is an absent value, `\\,` a comma."""
    elements = [element.replace("\0", ",") for element in operand.replace("\\,", "\0").split(",")]
    for element in elements:
        if element == "" or value is None:
            if element == "" and value is None:
                return True
        elif as_text(value) == element:
            return True
        elif is_number(value) and reads_as_number(element) and float(element) == value:
            return True
    return False


def _matches_glob(value, pattern):
    if pattern == "" or value is None:
        return pattern == "" and value is None
    signs = {"*": ".*", "?": "."}
    expression = "".join(signs.get(sign, re.escape(sign)) for sign in pattern)
    return re.fullmatch(expression, as_text(value), re.DOTALL) is not None
