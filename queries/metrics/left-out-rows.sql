-- How many rows were not stored because of a row limit, by table?
--
-- column rows_of text  which table
-- column value count  rows
SELECT table_name AS rows_of, dropped AS value FROM cap ORDER BY table_name
