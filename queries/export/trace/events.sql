-- Which losses, NAKs and other events did flows have?
-- In order of confidence.
--
-- param limit count 10000  maximum number of rows
-- column process text  top of the tree
-- column track text  row of it
-- column lane text  row below, or NULL
-- column name text  what is written on the slice
-- column start_ns time  begin
-- column end_ns time  end; NULL or the same: a moment
-- column event_id id  event.id
-- column frame count  its frame
-- column psn hex  first packet concerned
-- column count count  packets
-- column confidence share  confidence, 0..1
-- column detail text  the rule that decided
-- column total count  total number
SELECT 'Flows' AS process, 'flow ' || flow_id AS track, 'events' AS lane,
       kind AS name, ns AS start_ns, NULL AS end_ns, id AS event_id, frame, psn,
       "count", confidence, detail, count(*) OVER () AS total
  FROM event /*scan*/
 WHERE flow_id IS NOT NULL
 ORDER BY confidence DESC, id
 LIMIT :limit
