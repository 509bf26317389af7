-- Which tables reached their row limit, and how many rows were not stored?
--
-- column table_name text  the table
-- column not_stored count  rows that are not in it: "and N more"
--
-- example fabscope query DB row-limits
SELECT table_name, not_stored FROM row_limit ORDER BY table_name
