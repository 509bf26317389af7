-- Which NACKs did targets send, by code, and what was retransmitted (Ultra Ethernet)?
-- At several taps, where most were seen.  In a time window: its refusals,
-- without their retransmissions.
--
-- param flow id NULL  only of this flow
-- param job count NULL  only of this job
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 100  maximum number of rows
-- column code hex  NACK code
-- column name text  its name; NULL when reserved
-- column flows count  flows whose packets were refused
-- column count count  refusals
-- column retransmitted count  packets retransmitted for it
-- column first_ns time  the first
-- column react_min_ns duration  NACK to retransmission, shortest
-- column react_mean_ns duration  on average
-- column react_max_ns duration  the longest
--
-- uses flow-once
-- example fabscope query DB uet-nacks
WITH refusal AS (
  SELECT flow_id, code, name, count, retransmitted, first_ns, react_min_ns,
         react_mean_ns, react_max_ns
    FROM nack /*scan*/
   WHERE coalesce(:from, :to) IS NULL AND count > 0
  UNION ALL
  SELECT e.flow_id, n.code, n.name, e.count, NULL, e.ns, NULL, NULL, NULL
    FROM event e /*scan*/
    JOIN nack n ON n.flow_id = e.flow_id AND n.code = e.value
   WHERE (e.kind IN ('nak_seq', 'nak_fatal', 'rnr_nak')
          OR e.kind = 'trimmed' AND n.name LIKE 'TRIMMED%')
     AND coalesce(:from, :to) IS NOT NULL
     AND (:from IS NULL OR e.ns >= :from) AND (:to IS NULL OR e.ns <= :to)),
one AS (
  SELECT t.code, t.name, o.counted_id, sum(t.count) AS count,
         sum(t.retransmitted) AS retransmitted, min(t.first_ns) AS first_ns,
         min(t.react_min_ns) AS react_min_ns,
         sum(t.react_mean_ns * t.retransmitted) AS react_ns,
         sum(CASE WHEN t.react_mean_ns IS NOT NULL THEN t.retransmitted END)
           AS reacted,
         max(t.react_max_ns) AS react_max_ns
    FROM refusal t
    JOIN flow f ON f.id = t.flow_id
    JOIN flow_once o ON o.flow_id = f.id
   WHERE (:flow IS NULL OR f.id = :flow)
     AND (:job IS NULL OR f.job_id = :job)
   GROUP BY t.code, t.name, o.counted_id, f.id),
most AS (
  SELECT code, name, counted_id, max(count) AS count, max(retransmitted) AS retransmitted,
         min(first_ns) AS first_ns, min(react_min_ns) AS react_min_ns,
         max(react_ns) AS react_ns, max(reacted) AS reacted,
         max(react_max_ns) AS react_max_ns
    FROM one
   GROUP BY code, name, counted_id)
SELECT code, name, count(*) AS flows, sum(count) AS count,
       sum(retransmitted) AS retransmitted, min(first_ns) AS first_ns,
       min(react_min_ns) AS react_min_ns,
       CAST(1.0 * sum(react_ns) / nullif(sum(reacted), 0) AS INTEGER)
         AS react_mean_ns,
       max(react_max_ns) AS react_max_ns
  FROM most
 GROUP BY code, name
 ORDER BY count DESC, code
 LIMIT :limit
