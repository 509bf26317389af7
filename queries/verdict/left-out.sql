-- Of which tables were rows left out because there were too many?
--
-- column table_name text  the table
-- column dropped count  rows that are not in it
SELECT table_name, dropped FROM cap /*scan*/
 WHERE dropped > 0 ORDER BY table_name
