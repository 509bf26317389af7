-- By what are the packets of a finding's flows known?
-- Those of the incident, or those its evidence names, and their other
-- directions.
--
-- param id id required  finding.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair the packets are sent to
-- column from_ns time  first packet
-- column to_ns time  last packet
WITH hit AS (
  SELECT ifnull(i.flow_id, n.flow_id) AS flow_id
    FROM finding n
    LEFT JOIN incident_flow i ON i.incident_id = n.incident_id
   WHERE n.id = :id
   UNION
  SELECT e.value
    FROM finding n, json_each(n.evidence, '$.flows') e
   WHERE n.id = :id
),
flows AS (
  SELECT flow_id AS id FROM hit
   UNION
  SELECT f.peer_flow_id FROM hit h JOIN flow f ON f.id = h.flow_id
)
SELECT f.src, f.dst,
       ifnull(f.dst_qp, (1 << 24) + ifnull(f.spdcid, ifnull(f.job_id, 0)))
         AS dst_qp, f.first_ns AS from_ns, f.last_ns AS to_ns
  FROM flows s JOIN flow f ON f.id = s.id
