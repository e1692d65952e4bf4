-- The numbers that changed since the night before for another reason than time, the newest night first.
SELECT
  as_of, day, app || '/' || flow || '@' || version AS flow_version, what, before, after, after - before AS change, cause
FROM restatements
WHERE cause <> 'matured'
ORDER BY as_of DESC, day DESC, app, flow, version, what
