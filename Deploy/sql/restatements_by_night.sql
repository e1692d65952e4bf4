-- How many numbers each night restated, by cause.
SELECT as_of, cause, count(*) AS numbers, count(DISTINCT day) AS days
FROM restatements
GROUP BY as_of, cause
ORDER BY as_of DESC, numbers DESC
