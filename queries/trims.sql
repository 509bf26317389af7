-- Which flows were trimmed, what did it cost, and what did it save?
-- A trimmed packet is sent again after a refusal; without trimming the sender
-- waits for a timer.  What that would have cost is known only where timers of
-- the same capture ran out.
--
-- param job count NULL  only this job (Ultra Ethernet)
-- param incident id NULL  only flows of this incident
-- param limit count 1000  at most so many
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column spdcid hex16  PDC id of the sender
-- column job_id count  job
-- column trimmed_upstream count  passed here trimmed
-- column trimmed_downstream count  trimmed behind this point
-- column trimmed_lasthop count  of both, by the last switch (incast)
-- column resent_packets count  packets sent again for it
-- column resent_bytes bytes  payload sent again
-- column cost_ns duration  from the original to its answer, on average
-- column timer_ns duration  what a timer cost instead, on average
-- column saved_ns duration  the difference, over all of them
--
-- example fabscope query DB trims --param limit=10
WITH timer AS (
  SELECT CAST(avg(last_ns - first_ns) AS INTEGER) AS ns
    FROM recovery /*scan*/
   WHERE trigger = 'timeout'
     AND flow_id IN (SELECT flow_id FROM pdc)),
cut AS (
  SELECT flow_id, count(*) AS n, sum(resent_packets) AS packets,
         sum(resent_bytes) AS bytes,
         CAST(avg(last_ns - first_ns) AS INTEGER) AS ns
    FROM recovery /*scan*/
   WHERE cause IN ('trimmed_upstream', 'trimmed_downstream', 'trimmed')
   GROUP BY flow_id)
SELECT f.id AS flow_id, f.src, f.dst, f.spdcid, f.job_id, p.trimmed_upstream,
       p.trimmed_downstream, p.trimmed_lasthop, c.packets AS resent_packets,
       c.bytes AS resent_bytes, c.ns AS cost_ns, t.ns AS timer_ns,
       (t.ns - c.ns) * c.n AS saved_ns
  FROM pdc /*scan*/ p
 CROSS JOIN flow f ON f.id = p.flow_id
  LEFT JOIN cut c ON c.flow_id = f.id
 CROSS JOIN timer t
 WHERE p.trimmed_upstream + p.trimmed_downstream > 0
   AND (:job IS NULL OR f.job_id = :job)
   AND (:incident IS NULL OR f.id IN
        (SELECT flow_id FROM incident_flow WHERE incident_id = :incident))
 ORDER BY p.trimmed_upstream + p.trimmed_downstream DESC, f.id
 LIMIT :limit
