-- What are the taps called?
--
-- column id id  tap.id
-- column name text  given with --tap, or the interface's name
SELECT id, name FROM tap ORDER BY id
