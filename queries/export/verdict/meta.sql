-- How was this database made?
--
-- column key text  what
-- column value text  its value
SELECT key, value FROM meta ORDER BY key LIMIT 100
