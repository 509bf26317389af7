-- How much of each flow was trimmed, by each capture point that saw it?
-- Part of query trims, which counts a flow once.
--
-- param job count NULL  only this job (Ultra Ethernet)
-- param incident id NULL  only flows of this incident
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column spdcid hex16  PDC id of the sender
-- column job_id count  job
-- column trimmed_upstream count  was already trimmed at this capture point
-- column trimmed_downstream count  trimmed downstream of this capture point
-- column trimmed_lasthop count  of both, by the last switch (incast)
-- column retransmitted_packets count  packets retransmitted for it
-- column retransmitted_bytes bytes  payload retransmitted
-- column cost_ns duration  from the original to its answer, on average
-- column timer_ns duration  what an RTO cost instead, mean
-- column saved_ns duration  the difference, over all of them
-- column trimmed_inside count  of both, by a switch before the last
-- column cut_bytes bytes  cut off what was already trimmed at this capture point, as far as reported
-- column tap_id id  tap.id
--
-- uses trim-events
-- example fabscope query DB trims-by-tap
WITH span(a, z, part) AS (
  SELECT ifnull(:from, -(1 << 62)), ifnull(:to, 1 << 62),
         coalesce(:from, :to) IS NOT NULL),
timer AS (
  SELECT CAST(avg(last_ns - first_ns) AS INTEGER) AS ns
    FROM recovery /*scan*/
   WHERE trigger = 'timeout'
     AND flow_id IN (SELECT flow_id FROM pdc)),
cut AS (
  SELECT r.flow_id, count(*) AS n, sum(r.retransmitted_packets) AS packets,
         sum(r.retransmitted_bytes) AS bytes,
         CAST(avg(r.last_ns - r.first_ns) AS INTEGER) AS ns
    FROM span s, recovery r /*scan*/
   WHERE r.cause IN ('trimmed_upstream', 'trimmed_downstream', 'trimmed')
     AND r.first_ns BETWEEN s.a AND s.z
   GROUP BY r.flow_id),
each AS (
  SELECT t.flow_id, sum(t.count) AS all_of_it,
         sum(t.count * t.here) AS all_here,
         sum(t.count) FILTER (WHERE t.ns BETWEEN s.a AND s.z) AS n,
         sum(t.count * t.here) FILTER (WHERE t.ns BETWEEN s.a AND s.z) AS here,
         sum(t.count * (ifnull(t.code, 0) = 1))
           FILTER (WHERE t.ns BETWEEN s.a AND s.z) AS inside,
         sum(t.count * (ifnull(t.code, 0) = 2))
           FILTER (WHERE t.ns BETWEEN s.a AND s.z) AS lasthop,
         sum(t.cut_bytes) FILTER (WHERE t.ns BETWEEN s.a AND s.z) AS cut_bytes
    FROM span s, trim_events t
   GROUP BY t.flow_id)
SELECT f.id AS flow_id, f.src, f.dst, f.spdcid, f.job_id,
       CASE WHEN NOT s.part OR p.trimmed_upstream = 0 THEN p.trimmed_upstream
            WHEN e.all_of_it IS NOT f.trimmed THEN NULL
            WHEN p.trimmed_downstream = 0 THEN ifnull(e.n, 0)
            WHEN e.all_here = p.trimmed_upstream THEN ifnull(e.here, 0)
       END AS trimmed_upstream,
       CASE WHEN NOT s.part OR p.trimmed_downstream = 0
            THEN p.trimmed_downstream
            WHEN e.all_of_it IS NOT f.trimmed THEN NULL
            WHEN p.trimmed_upstream = 0 THEN ifnull(e.n, 0)
            WHEN e.all_here = p.trimmed_upstream THEN ifnull(e.n - e.here, 0)
       END AS trimmed_downstream,
       CASE WHEN NOT s.part THEN iif(p.nacks, p.trimmed_lasthop, NULL)
            WHEN e.all_of_it = f.trimmed AND p.nacks THEN ifnull(e.lasthop, 0) END
         AS trimmed_lasthop,
       c.packets AS retransmitted_packets, c.bytes AS retransmitted_bytes, c.ns AS cost_ns,
       t.ns AS timer_ns, (t.ns - c.ns) * c.n AS saved_ns,
       CASE WHEN NOT s.part
            THEN iif(p.nacks, ifnull(k.count, 0), NULL)
            WHEN e.all_of_it = f.trimmed AND p.nacks
            THEN ifnull(e.inside, 0) END
         AS trimmed_inside, e.cut_bytes, f.tap_id
  FROM span s
 CROSS JOIN pdc /*scan*/ p
 CROSS JOIN flow f ON f.id = p.flow_id
 CROSS JOIN timer t
  LEFT JOIN cut c ON c.flow_id = f.id
  LEFT JOIN each e ON e.flow_id = f.id
  LEFT JOIN nack k ON k.flow_id = f.id AND k.code = 1
 WHERE p.trimmed_upstream + p.trimmed_downstream > 0
   AND (NOT s.part OR f.first_ns <= s.z AND f.last_ns >= s.a
        AND (e.n > 0 OR c.n > 0 OR e.all_of_it IS NOT f.trimmed))
   AND (:job IS NULL OR f.job_id = :job)
   AND (:incident IS NULL OR f.id IN
        (SELECT flow_id FROM incident_flow WHERE incident_id = :incident))
