-- How people who were prompted on a day answered each permission, with the 95 % interval of the grant rate.
SELECT
  day, app || '/' || flow || '@' || version AS flow_version, permission,
  prompted, granted, limited, denied, skipped, unanswered, in_progress, recovered,
  grant_rate, grant_rate_ci95_low, grant_rate_ci95_high, access_rate, dialog_grant_rate
FROM permission_latest
WHERE prompted > 0
ORDER BY app, flow, version, permission, day
