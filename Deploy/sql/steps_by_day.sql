-- The people of each day who reached a step: their number, and their share of all who entered and of those who reached the step before.
SELECT
  day, app || '/' || flow || '@' || version AS flow_version, step, label,
  reached, from_start, from_previous, dropped, in_progress, time_from_previous_ms_p50 / 1000.0 AS median_seconds
FROM step_latest
WHERE reached > 0
ORDER BY app, flow, version, day, reached DESC
