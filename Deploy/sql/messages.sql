-- The alarms that fired and the thresholds that were crossed, by night, the newest first.
SELECT
  as_of, json_extract(message.value, '$.kind') AS kind, json_extract(message.value, '$.rule') AS rule,
  json_extract(message.value, '$.text') AS text
FROM runs, json_each(runs.messages) AS message
ORDER BY as_of DESC, message.key
