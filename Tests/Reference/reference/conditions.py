"""Keys of `--by` and the conditions of `--where` (section 3, Segments and Conditions).

A segment is its text: `true` and "true" are one, and so are 4, 4.0, "4" and "4.0". Conditions look
at the text as the event has it, of JSON numbers in the shortest form.
"""

import re

from .moments import TIME_KEYS, time_value
from .stays import Stay
from .values import (
    as_text,
    compare_numbers,
    compare_versions,
    holds,
    number_of,
    reads_as_number,
    shortest,
)


def value_at(key, group, event, question):
    """Returns the segment of a group, at the event it counts by: the text of a key, of numbers in
    the shortest form, or None where it is absent.
    """
    text = _text_at(key, group, event, question)
    return None if text is None else segment_text(key, group.flow, text)


def segment_text(key, flow, text):
    """Returns a text, of a number the shortest form: "4.0" and 4 are one, but not as versions."""
    number = None if is_text_key(key, flow) else shortest(text)
    return text if number is None else as_text(number)


def _text_at(key, group, event, question):
    """Returns the text of a key as the event has it."""
    if key in TIME_KEYS:
        return time_value(event.time, key, question.zone)
    if key == "version":
        return str(group.flow.version)
    if key == "subject":
        return group.subject
    if key.startswith("step."):
        _, step, path = key.split(".", 2)
        value = _value_at_step(group, step, path)
    else:
        value = event.value(key)
        if value is None and question.attribution == "known":
            value = _first_known(group, event, key)
    return None if value is None else as_text(value)


def _value_at_step(group, step, path):
    """Returns the value at the event that matched or entered a step, else at the first
    `step_completed` of the stay there.
    """
    place = group.flow.index.get(step)
    event = None if group.chain is None or place is None else group.chain.event_at(place)
    if event is None:
        return None
    if event.value(path) is not None:
        return event.value(path)
    completions = Stay(group, place).completions
    return completions[0].value(path) if completions else None


def _first_known(group, event, key):
    later = group.after(event, until=event.time + group.window)
    return next((one.value(key) for one in later if one.value(key) is not None), None)


def path_of(key):
    """Returns the property that a key is about, also at a step."""
    return key.split(".", 2)[2] if key.startswith("step.") else key


def is_text_key(key, flow):
    """Returns whether the values of a key are no numbers, even where they look like some."""
    return key in TIME_KEYS or flow.has_versions(path_of(key))


def shown(key, flow, text):
    """Returns the JSON value of a segment: a number, true and false as such, every other text as a
    string.
    """
    if text is None:
        return None
    if key == "version":
        return int(text)
    if is_text_key(key, flow):
        return text
    if text in ("true", "false"):
        return text == "true"
    number = shortest(text)
    return text if number is None else number


def satisfies_all(group, event, question):
    """Returns whether every `--where` holds."""
    return all(_satisfies(condition, group, event, question) for condition in question.where)


def _satisfies(condition, group, event, question):
    match = re.match(r"\s*(.*?)\s*(==|!=|!~|<=|>=|=|~|<|>)\s*(.*?)\s*$", condition)
    key, operator, operand = match.groups()
    text = _text_at(key, group, event, question)
    is_text = key == "subject" or is_text_key(key, group.flow)
    if operator in ("=", "==", "!="):
        return _is_listed(text, operand, is_text) == (operator != "!=")
    if operator in ("~", "!~"):
        return _matches_glob(text, operand) == (operator != "!~")
    if text is None:
        return False
    if not is_text and reads_as_number(text) and reads_as_number(operand):
        return holds(operator, compare_numbers(number_of(text), number_of(operand)))
    comparison = compare_versions(text, operand)
    return comparison is not None and holds(operator, comparison)


def _is_listed(text, operand, is_text):
    """Returns whether a value is listed; an empty element is an absent value, `\\,` a comma."""
    elements = [element.replace("\0", ",") for element in operand.replace("\\,", "\0").split(",")]
    for element in elements:
        if element == "" or text is None:
            if element == "" and text is None:
                return True
        elif text == element:
            return True
        elif not is_text and reads_as_number(text) and reads_as_number(element):
            if number_of(text) == number_of(element):
                return True
    return False


def _matches_glob(text, pattern):
    if pattern == "" or text is None:
        return pattern == "" and text is None
    signs = {"*": ".*", "?": "."}
    expression = "".join(signs.get(sign, re.escape(sign)) for sign in pattern)
    return re.fullmatch(expression, text, re.DOTALL) is not None
