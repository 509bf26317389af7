-- By what are the packets around a finding known?
-- Its flows and their other directions, from one millisecond before it to one
-- after, because a cause lies before its first sign.
--
-- param id id required  finding.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair the packets are sent to
-- column from_ns time  from here
-- column to_ns time  to here
WITH hit AS (
  SELECT n.first_ns, n.last_ns, ifnull(i.flow_id, n.flow_id) AS flow_id
    FROM finding n
    LEFT JOIN incident_flow i ON i.incident_id = n.incident_id
   WHERE n.id = :id
),
flows AS (
  SELECT flow_id AS id, first_ns, last_ns FROM hit
   UNION
  SELECT f.peer_flow_id, h.first_ns, h.last_ns
    FROM hit h JOIN flow f ON f.id = h.flow_id
)
SELECT f.src, f.dst, f.dst_qp,
       s.first_ns - 1000000 AS from_ns, s.last_ns + 1000000 AS to_ns
  FROM flows s JOIN flow f ON f.id = s.id
