-- Which messages were sent, once each, in the order they began?
--
-- column flow_id id  as in flows
-- column op word  send write read
-- column first_ns time  first packet, at the capture point that saw it first
-- column last_ns time  last packet, of a READ its response, at the one that saw
--   it last
-- column completed_ns time  its ACK, where it was seen last; NULL not seen
-- column acked_ns time  its ACK, where it was seen first
-- column bytes bytes  payload
-- column job id  job.id whose ranks exchange it; NULL none
WITH every AS (
  SELECT ifnull(s.counted_id, m.flow_id) AS flow_id, m.op, m.first_ns,
         iif(m.op = 'read', m.completed_ns, m.last_ns) AS last_ns,
         m.completed_ns, m.bytes, m.psn_first,
         row_number() OVER (PARTITION BY m.flow_id, m.psn_first, m.op
                            ORDER BY m.first_ns, m.id) AS turn
    FROM message m /*scan*/ LEFT JOIN same_flow s ON s.flow_id = m.flow_id
   WHERE m.op IN ('send', 'write', 'read')
     AND m.first_ns IS NOT NULL AND m.last_ns IS NOT NULL),
once AS (
  SELECT flow_id, op, min(first_ns) AS first_ns, max(last_ns) AS last_ns,
         max(completed_ns) AS completed_ns,
         min(completed_ns) AS acked_ns, max(bytes) AS bytes
    FROM every
   GROUP BY flow_id, psn_first, op, turn),
-- A table of its own has no key by which all ranks of a job would be compared.
member AS MATERIALIZED (SELECT job, address FROM job_rank /*scan*/),
ranks AS MATERIALIZED (
  SELECT f.src, f.dst, min(x.job) AS job
    FROM (SELECT DISTINCT src, dst FROM flow /*scan*/) f
   CROSS JOIN member x ON x.address = f.src
   CROSS JOIN member y ON y.job = x.job AND y.address = f.dst
   GROUP BY f.src, f.dst)
SELECT o.flow_id, o.op, o.first_ns, o.last_ns, o.completed_ns,
       o.acked_ns, o.bytes, j.job
  FROM once o
  JOIN flow f ON f.id = o.flow_id
  LEFT JOIN ranks j ON j.src = f.src AND j.dst = f.dst
 WHERE o.bytes > 0
 ORDER BY o.first_ns, o.flow_id, o.last_ns
