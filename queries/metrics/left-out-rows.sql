-- How many rows were not kept because there were too many, by table?
--
-- column rows_of text  which table
-- column value count  rows
SELECT table_name AS rows_of, dropped AS value FROM cap ORDER BY table_name
