-- The conversion of the people of each day with its 95 % interval, and that of the people whose window is over.
SELECT
  day, app || '/' || flow || '@' || version AS flow_version,
  entered, completed, in_progress, dropped, conversion, conversion_ci95_low, conversion_ci95_high,
  closed_entered, closed_conversion
FROM funnel_latest
WHERE entered > 0
ORDER BY app, flow, version, day
