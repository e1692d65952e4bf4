-- The funnel of the last 30 days: how many people reached each step, and their share of all who entered.
WITH entered AS (
  SELECT app, flow, version, sum(entered) AS groups
  FROM funnel_latest
  WHERE day > date((SELECT max(last_day) FROM runs), '-30 days')
  GROUP BY app, flow, version
)
SELECT
  app || '/' || flow || '@' || version AS flow_version, step, max(label) AS label, max(optional) AS optional,
  sum(reached) AS reached, 1.0 * sum(reached) / nullif(groups, 0) AS from_start
FROM step_latest JOIN entered USING (app, flow, version)
WHERE day > date((SELECT max(last_day) FROM runs), '-30 days')
GROUP BY app, flow, version, step
ORDER BY app, flow, version, reached DESC
