-- Which links were paused, and when?
-- The timeline: one row for each pause, at all taps.
--
-- param tap id NULL  only this tap
-- param priority id NULL  only this priority
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 1000  maximum number of rows
-- column first_ns time  first XOFF
-- column tap_id id  tap.id
-- column source_mac text  the port that asked
-- column priority id  0..7; NULL the whole link
-- column paused_ns duration  NULL without the speed of the link
-- column ended_by word  xon, expiry, capture_end
-- column xoff_frames count  XOFF frames
-- column refreshes count  of these, while paused
-- column quanta count  pause quanta in its XOFF frames, summed
-- column frame id  the first XOFF
--
-- example fabscope query DB pauses --param limit=10
SELECT first_ns, tap_id, source_mac, priority, paused_ns, ended_by,
       xoff_frames, refreshes, quanta, frame
  FROM pause /*scan*/
 WHERE (:tap IS NULL OR tap_id = :tap)
   AND (:priority IS NULL OR priority IS NULL OR priority = :priority)
   AND (:from IS NULL OR ifnull(last_ns, first_ns) >= :from)
   AND (:to IS NULL OR first_ns <= :to)
 ORDER BY first_ns, id
 LIMIT :limit
