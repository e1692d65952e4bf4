"""A second, slow implementation of the reports, written from the specification.

It shares no code with the program and reads none of its sources: what both get wrong in the same
way must stand wrong in the specification. Nothing is indexed, folded or streamed; each number is
looked for in the sorted list of a group's events.

Sections named in the comments are those of Documentation/SPECIFICATION.md. What the reports of
section 7 count, which that file does not have, stands on top of the file of each.

Where the specification is silent, what the program prints was taken over:

- dropoff, `last_step`: of several steps that an event enters, the first; of a match, that one;
- steps, `--order any`: an optional step has `reached` null, and zeros;
- trend without `--every`: the unit is chosen by the anchors of the flow version, for all segments;
- outcomes: an anchor that is an outcome event counts, but does not end a group that is in progress;
- groups of one size in several segments are ordered by value: numbers, texts, booleans, null;
- ad hoc: `step:ID` is whatever enters that step in any flow version of the app.
"""
