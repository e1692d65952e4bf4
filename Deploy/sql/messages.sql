-- The alarms that nights raised and the thresholds that they found crossed, the newest first.
SELECT
  as_of, json_extract(message.value, '$.kind') AS kind, json_extract(message.value, '$.rule') AS rule,
  json_extract(message.value, '$.text') AS text
FROM runs, json_each(runs.messages) AS message
ORDER BY as_of DESC, message.key
