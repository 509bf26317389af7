-- How many rows were not stored because of a row limit, by table?
--
-- column rows_of text  which table
-- column value count  rows
SELECT table_name AS rows_of, not_stored AS value FROM row_limit ORDER BY table_name
