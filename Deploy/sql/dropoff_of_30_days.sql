-- The steps at which people of the last 30 days were lost, the worst step first, and how they left.
WITH entered AS (
  SELECT app, flow, version, sum(entered) AS groups
  FROM funnel_latest
  WHERE day > date((SELECT max(last_day) FROM runs), '-30 days')
  GROUP BY app, flow, version
)
SELECT
  app || '/' || flow || '@' || version AS flow_version, step, max(label) AS label,
  sum(dropped) AS dropped, 1.0 * sum(dropped) / nullif(groups, 0) AS share_of_entered,
  sum(exits_skipped) AS skipped, sum(exits_denied) AS denied, sum(exits_failed) AS failed, sum(exits_back) AS went_back,
  sum(exits_ended) AS ended, sum(exits_left) AS just_left
FROM dropoff_latest JOIN entered USING (app, flow, version)
WHERE day > date((SELECT max(last_day) FROM runs), '-30 days')
GROUP BY app, flow, version, step
HAVING sum(dropped) > 0
ORDER BY app, flow, version, dropped DESC
