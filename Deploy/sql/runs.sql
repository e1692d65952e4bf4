-- The health of each night: its duration, files, ingested and rejected lines, and messages; the newest first.
SELECT
  as_of, started_at, duration_seconds, files_done, files_failed, lines, accepted, duplicates, rejected,
  1.0 * rejected / nullif(lines, 0) AS reject_share, unclaimed, events_in_store, restatements,
  json_array_length(messages) AS messages,
  round(24 * (julianday(as_of) - julianday(lag(as_of) OVER (ORDER BY as_of))), 1) AS hours_since_last
FROM runs
ORDER BY as_of DESC
