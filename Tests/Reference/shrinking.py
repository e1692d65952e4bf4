"""Makes a case that shows a difference smaller, as long as it shows one of the same kind."""

import re
import time

NEEDED_OPTIONS = ("now", "after", "levels", "steps", "app", "versions", "versus")
"""Options without which a question is another one, or none."""

REMOVABLE_FIELDS = (
    ("ctx",),
    ("props",),
    ("seq",),
    ("attempt",),
    ("flow_version",),
    ("flow",),
    ("sent_at", "received_at"),
)


def shrink(case, difference_of, seconds):
    """Returns a smaller case, after about so many seconds, for which `difference_of` still finds
    the same kind.
    """
    kind = _kind(difference_of(case))
    deadline = time.monotonic() + seconds
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for edit in _edits(case):
            if time.monotonic() > deadline:
                return case
            candidate = edit(case)
            if candidate != case and candidate.lines and _kind(difference_of(candidate)) == kind:
                case = candidate
                is_smaller = True
    return case


def _kind(difference):
    """Returns the key at which a difference is, whatever the row or the numbers."""
    if difference is None:
        return None
    return re.sub(r"\[\d+\]", "", difference.split(":")[0]).rsplit("/", 1)[-1]


def _edits(case):
    """Returns functions that make a case smaller, the boldest first; they are applied one after the
    other.
    """
    edits = [_without_lines(chunk) for chunk in _chunks(case.lines)]
    edits += [_without_option(name) for name in case.options if name not in NEEDED_OPTIONS]
    edits += [_without_definition(definition) for definition in case.definitions if case.are_random]
    edits += [_without_selection(selection) for selection in case.selections]
    edits += [
        _without_fields(line["id"], fields) for line in case.lines for fields in REMOVABLE_FIELDS
    ]
    return edits


def _chunks(lines):
    """Returns the halves of the lines, then quarters and so on down to single ones."""
    chunks = []
    length = len(lines)
    while length > 1:
        length = (length + 1) // 2
        chunks += [lines[start : start + length] for start in range(0, len(lines), length)]
    return chunks


def _without_lines(chunk):
    return lambda case: case._replace(lines=[line for line in case.lines if line not in chunk])


def _without_option(name):
    def edit(case):
        if case.report == "groups" and name == "flow":
            return case
        return case._replace(
            options={key: value for key, value in case.options.items() if key != name}
        )

    return edit


def _without_definition(definition):
    def edit(case):
        rest = [other for other in case.definitions if other is not definition]
        return case._replace(definitions=rest) if rest and case.report != "groups" else case

    return edit


def _without_selection(selection):
    def edit(case):
        rest = [other for other in case.selections if other is not selection]
        return case._replace(selections=rest) if rest else case

    return edit


def _without_fields(line_id, fields):
    def plain(line):
        return {
            key: value for key, value in line.items() if line["id"] != line_id or key not in fields
        }

    return lambda case: case._replace(lines=[plain(line) for line in case.lines])
