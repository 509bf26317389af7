-- Of which tables are rows missing because there were too many?
--
-- column table_name text  the table
-- column dropped count  rows that are not in it: "and N more"
--
-- example fabscope query DB caps
SELECT table_name, dropped FROM cap ORDER BY table_name
