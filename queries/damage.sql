-- Which stretches of the capture files could not be read?
--
-- column path text  the file
-- column from_octet count  first byte, in the decompressed file
-- column to_octet count  first byte that could be read again
-- column why text  what was wrong
--
-- example fabscope query DB damage
SELECT c.path, d.from_octet, d.to_octet, d.why
  FROM damage d
  JOIN capture c ON c.id = d.capture_id
 ORDER BY d.capture_id, d.from_octet
