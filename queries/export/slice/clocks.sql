-- How were the times of the taps corrected?
--
-- column file count  capture.id
-- column ordinal count  which tap of that file, from 0
-- column from_frame count  the first frame that is meant
-- column at_ns time  when offset_ns holds
-- column offset_ns duration  taken off
-- column drift_ppb count  and so much a second
SELECT t.capture_id AS file,
       (SELECT count(*) FROM tap o
         WHERE o.capture_id = t.capture_id AND o.id < t.id) AS ordinal,
       ifnull(c.from_frame, 0) AS from_frame, c.at_ns, c.offset_ns,
       c.drift_ppb
  FROM clock c /*scan*/
  JOIN tap t ON t.id = c.tap_id
 WHERE c.applied
 ORDER BY t.capture_id, t.id, c.part
