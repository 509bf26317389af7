-- Which ranges of the capture files are corrupted, or cut off?
--
-- column path text  the file
-- column from_byte count  first byte, in the decompressed file
-- column to_byte count  first byte that could be read again
-- column why text  what was wrong
--
-- example fabscope query DB corrupted-ranges
SELECT c.path, d.from_byte, d.to_byte, d.why
  FROM corrupted_range d
  JOIN capture c ON c.id = d.capture_id
 ORDER BY d.capture_id, d.from_byte
