-- Which parts of the captures could not be read?
-- The first fifty.
--
-- column path text  the capture
-- column from_octet count  first octet, in the decompressed file
-- column to_octet count  first octet that could be read again
-- column why text  what was wrong
SELECT c.path, d.from_octet, d.to_octet, d.why
  FROM damage d JOIN capture c ON c.id = d.capture_id
 ORDER BY d.capture_id, d.from_octet LIMIT 50
