-- The last 7 closed days against the 28 days before them; without a real change, chi_squared is above 3.84 in 1 of 20 cases.
-- A day is closed when the window of its people is over. The last closed day is computed in UTC, so with another --tz it may be one day earlier.
WITH night AS (
  SELECT as_of, last_day FROM runs ORDER BY as_of DESC LIMIT 1
),
windows AS (
  SELECT app, flow, version, window_ms, max(day) FROM funnel_latest GROUP BY app, flow, version
),
ends AS (
  SELECT
    app, flow, version,
    min(
      date(strftime('%s', as_of) - window_ms / 1000, 'unixepoch'),
      date(last_day, '+1 day', '-' || (window_ms / 86400000) || ' days')) AS until
  FROM windows, night
),
weeks AS (
  SELECT
    app, flow, version, until,
    sum(CASE WHEN day >= date(until, '-7 days') THEN entered ELSE 0 END) AS entered,
    sum(CASE WHEN day >= date(until, '-7 days') THEN completed ELSE 0 END) AS completed,
    sum(CASE WHEN day < date(until, '-7 days') THEN entered ELSE 0 END) AS entered_before,
    sum(CASE WHEN day < date(until, '-7 days') THEN completed ELSE 0 END) AS completed_before
  FROM funnel_latest JOIN ends USING (app, flow, version)
  WHERE day < until AND day >= date(until, '-35 days')
  GROUP BY app, flow, version, until
)
SELECT
  app || '/' || flow || '@' || version AS flow_version, until, entered, completed,
  1.0 * completed / nullif(entered, 0) AS conversion,
  entered_before, completed_before,
  1.0 * completed_before / nullif(entered_before, 0) AS conversion_before,
  1.0 * completed / nullif(entered, 0) - 1.0 * completed_before / nullif(entered_before, 0) AS difference,
  1.0 * (entered + entered_before)
    * (1.0 * completed * (entered_before - completed_before) - 1.0 * completed_before * (entered - completed))
    * (1.0 * completed * (entered_before - completed_before) - 1.0 * completed_before * (entered - completed))
    / nullif(
      1.0 * entered * entered_before * (completed + completed_before)
        * (entered + entered_before - completed - completed_before), 0) AS chi_squared
FROM weeks
ORDER BY app, flow, version
