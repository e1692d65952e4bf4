"""A second, slow implementation of the reports, written from the specification.

It shares no code with the program and reads none of its sources: what both get wrong in the same
way must stand wrong in the specification. Nothing is indexed, folded or streamed; each number is
looked for in the sorted list of a group's events.

Sections named in the comments are those of Documentation/SPECIFICATION.md. What the reports of
section 7 count, which that file does not have, stands on top of the file of each.

Where the specification is silent, what the program prints was taken over:

- dropoff, `last_step`: of several steps that an event enters, the first; of a match, that one;
- steps, `--order any`: an optional step has `reached` null, and zeros;
- steps, `values`: texts that are numbers count as numbers, like segments;
- ad hoc: `step:ID` is whatever enters that step in any flow version of the app.

And this was decided here:

- entries: an exclusion that cuts the chain leaves the entry open until its window is over, and so
  does a chain of `strict` that ended; an entry may have `--anchor best`; `not_after_completion` is
  checked;
- `returned`, `--order any`: an event that enters the first required step, as in the other orders;
- grants: `provisional` is a key of those rows alone where it is not 0; in access it is open;
- segments of one size: numbers by value, then texts by bytes, `true` and `false` among them, then
  null;
- segments by `step.ID.ctx.app_version` and the like hold versions: they are texts, but not in
  ascending order;
- segments: a number in a text is written shortest ("2.50" is 2.5) where a double holds it exactly;
  conditions with `~`, and of versions, look at the text as the event has it;
- conditions: `subject` is compared as a text; an empty text is no absent value;
- `--attribution known`: for `breaches` and `next` too, from the event they count by on, within the
  window from it; never for keys at a step;
- progress, `min_items`, `max_items`, `too_short` and amounts' bounds read texts as numbers, too;
- outcomes, `details`: also of properties that the definition lists for a single step;
- compare: without `--sides` the values of all groups that entered, closed or not, of all flow
  versions, versions as versions; a pair of which nobody entered either side has no row;
- compare: `no_value` and `mixed` are of the counted groups; `mixed` is 0 for keys that are neither
  `ctx.` nor `props.`, and tells with `--drop-mixed` how many were left out; their answers are, too;
- compare: a step of `reached` is one that is neither first nor last for either side, those of the
  baseline first; a metric without a test has null from `difference` on, `needed_per_side` too;
- compare: `needed_days` is rounded up, of the days of the zone from the first to the last anchor of
  all sides together, also for permissions;
- compare: `overall` is null where no two sides have groups or all rates are 0, or 1; the p of
  strata is 1 where none of them varies, and groups without a value are a stratum;
- compare: `sample_ratio` with `--ratio` also of versions and periods; sides that nobody has, closed
  or not, are no question, and what has no row may be refused (64);
- compare: at the same age both sides have every group, with `--open-too` or without.
"""
