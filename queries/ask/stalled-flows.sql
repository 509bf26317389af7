-- Which flows were stalled by pauses, and were the pauses meant for them?
-- contributor: travels to the port where the pauses begin; victim: does not;
-- possible: its path is not seen.  In a time window: its stalls of then, and
-- their time in it.
--
-- param part text NULL  only contributor, victim or possible
-- param flow id NULL  only this flow
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 1000  maximum number of rows
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column part word  see above
-- column port text  the port where the pauses begin
-- column priority id  0..7; NULL the whole link
-- column storm_id id  storm.id; NULL it was no storm
-- column stalls count  times it was stalled
-- column stalled_ns duration  in all
-- column longest_ns duration  the longest
-- column tap_id id  tap.id where it was stalled
-- column frame id  the first packet after the longest
--
-- example fabscope query DB stalled-flows
WITH then_there AS (
  SELECT flow_id, source_mac, priority, tap_id, first_ns, last_ns, frame,
         min(last_ns, ifnull(:to, last_ns))
           - max(first_ns, ifnull(:from, first_ns)) AS ns
    FROM stall /*scan*/
   WHERE coalesce(:from, :to) IS NOT NULL
     AND (:from IS NULL OR last_ns >= :from)
     AND (:to IS NULL OR first_ns <= :to)),
stood AS (
  SELECT flow_id, tap_id, priority, count(*) AS stalls, sum(ns) AS stalled_ns,
         max(ns) AS longest_ns, frame
    FROM then_there GROUP BY flow_id, tap_id, priority),
held AS (
  SELECT h.*, stalls AS times, stalled_ns AS ns, longest_ns AS longest,
         frame AS after
    FROM stalled_flow /*scan*/ h
   WHERE coalesce(:from, :to) IS NULL
  UNION ALL
  SELECT h.*, s.stalls, s.stalled_ns, s.longest_ns, s.frame
    FROM stalled_flow /*scan*/ h
    JOIN stood s ON s.flow_id = h.flow_id AND s.tap_id = h.stall_tap_id
                AND (h.priority IS NULL OR s.priority IS h.priority))
SELECT h.flow_id, f.src, f.dst, f.dst_qp, h.part, p.who AS port, h.priority,
       h.storm_id, h.times AS stalls, h.ns AS stalled_ns,
       h.longest AS longest_ns, h.stall_tap_id AS tap_id, h.after AS frame
  FROM held h
  JOIN flow f ON f.id = h.flow_id
  JOIN pause_sender p ON p.tap_id = h.tap_id AND p.source_mac = h.source_mac
               AND p.priority IS h.priority
 WHERE (:part IS NULL OR h.part = :part)
   AND (:flow IS NULL OR h.flow_id = :flow)
 ORDER BY h.ns DESC, h.flow_id
 LIMIT :limit
