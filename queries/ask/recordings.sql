-- Which packets did a live analysis write to files?
-- Its events name packets by number (frame); each row says which numbers of a
-- tap are in the file, in their order.
--
-- param tap id NULL  only of this tap
-- param frame count NULL  only files with this packet
-- param from time NULL  not files that end before
-- param to time NULL  not files that begin after
-- column id id  recording.id
-- column kind text  ring, finding
-- column path text  the file
-- column name text  the interface
-- column first_frame count  frame number of its first packet
-- column last_frame count  frame number of its last packet
-- column first_ns time  first packet
-- column last_ns time  last packet
-- column missed count  packets that could not be written in time
-- column state text  open (still written), complete, gone (deleted)
--
-- example fabscope query DB recordings
SELECT r.id, r.kind, r.path, t.name, p.first_frame, p.last_frame, r.first_ns,
       r.last_ns, r.missed, r.state
  FROM recording r
  JOIN recording_tap p ON p.recording_id = r.id
  JOIN tap t ON t.id = p.tap_id
 WHERE (:tap IS NULL OR t.id = :tap)
   AND (:frame IS NULL OR :frame BETWEEN p.first_frame AND p.last_frame)
   AND (:from IS NULL OR r.last_ns >= :from OR r.state = 'open')
   AND (:to IS NULL OR r.first_ns <= :to)
 ORDER BY r.id DESC, t.id
