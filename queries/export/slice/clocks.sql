-- How were the times of the taps corrected?
--
-- column file count  capture.id
-- column ordinal count  which tap of that file, from 0
-- column from_frame count  the first frame that is meant
-- column at_ns time  when offset_ns holds
-- column offset_ns duration  taken off
-- column drift_ppb count  and so much a second
WITH place AS MATERIALIZED (
  SELECT id, capture_id AS file,
         row_number() OVER (PARTITION BY capture_id ORDER BY id) - 1 AS ordinal
    FROM tap
)
SELECT p.file, p.ordinal, ifnull(c.from_frame, 0) AS from_frame, c.at_ns,
       c.offset_ns, c.drift_ppb
  FROM clock c /*scan*/
  JOIN place p ON p.id = c.tap_id
 WHERE c.applied
 ORDER BY p.file, p.ordinal, from_frame, c.part
