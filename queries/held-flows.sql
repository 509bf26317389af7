-- Which flows did pauses hold up, and were the pauses meant for them?
-- contributor: travels to the port where the pauses begin; victim: does not;
-- possible: its path is not seen.
--
-- param part text NULL  only contributor, victim or possible
-- param flow id NULL  only this flow
-- param from time NULL  only those that stood still after
-- param to time NULL  only those that stood still before
-- param limit count 1000  at most so many
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column part text  see above
-- column who text  the port where the pauses begin
-- column priority id  0..7; NULL the whole link
-- column storm_id id  storm.id; NULL it was no storm
-- column stalls count  times it stood still
-- column stalled_ns duration  in all
-- column longest_ns duration  the longest
-- column tap_id id  tap.id where it stood
-- column frame id  the first packet after the longest
--
-- example fabscope query DB held-flows
SELECT h.flow_id, f.src, f.dst, f.dst_qp, h.part, p.who, h.priority,
       h.storm_id, h.stalls, h.stalled_ns, h.longest_ns,
       h.stall_tap_id AS tap_id, h.frame
  FROM held_flow /*scan*/ h
  JOIN flow f ON f.id = h.flow_id
  JOIN pauser p ON p.tap_id = h.tap_id AND p.source_mac = h.source_mac
               AND p.priority IS h.priority
 WHERE (:part IS NULL OR h.part = :part)
   AND (:flow IS NULL OR h.flow_id = :flow)
   AND (coalesce(:from, :to) IS NULL
        OR EXISTS (SELECT 1 FROM stall s /*scan*/
                    WHERE s.flow_id = h.flow_id
                      AND s.source_mac = h.source_mac
                      AND s.priority IS h.priority
                      AND (:from IS NULL OR s.last_ns >= :from)
                      AND (:to IS NULL OR s.first_ns <= :to)))
 ORDER BY h.stalled_ns DESC, h.flow_id
 LIMIT :limit
