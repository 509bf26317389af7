-- Which packets passed one place of capture and not the next?
--
-- param limit count 1000  at most so many
-- column ns time  when it passed
-- column from_tap text  where
-- column to_tap text  where it did not
-- column flow_id id  flow.id
-- column psn id  packet number
-- column kind text  request, response, answer
-- column verdict text  lost, missed, open
-- column confidence share  how sure
-- column frame id  its frame where it passed
-- column resent_frame id  its copy there; NULL none seen
--
-- example fabscope query DB report/vanished
SELECT v.ns, a.name AS from_tap, b.name AS to_tap, v.flow_id, v.psn, v.kind,
       v.verdict, v.confidence, v.frame, v.resent_frame
  FROM vanished v /*scan*/
  JOIN segment s ON s.id = v.segment_id
  JOIN tap a ON a.id = v.tap_id
  JOIN tap b ON b.id = s.to_tap_id
 ORDER BY v.verdict, v.ns, v.id
 LIMIT :limit
