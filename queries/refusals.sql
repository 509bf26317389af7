-- What did targets refuse, by NACK code, and what came of it (Ultra Ethernet)?
-- Of a span of time, the refusals of then; not what came of them.
--
-- param from time NULL  begin of a span; NULL: of the captures
-- param to time NULL  its end; NULL: of the captures
-- param limit count 100  at most so many
-- column code hex  NACK code
-- column name text  its name; NULL when reserved
-- column flows count  flows whose packets were refused
-- column count count  refusals
-- column resent count  packets sent again for it
-- column first_ns time  the first
-- column react_min_ns duration  refusal to copy, shortest
-- column react_mean_ns duration  on average
-- column react_max_ns duration  the longest
--
-- example fabscope query DB refusals
WITH told AS (
  SELECT flow_id, code, name, count, resent, first_ns, react_min_ns,
         react_mean_ns, react_max_ns
    FROM nack /*scan*/
   WHERE coalesce(:from, :to) IS NULL
  UNION ALL
  SELECT e.flow_id, n.code, n.name, e.count, NULL, e.ns, NULL, NULL, NULL
    FROM event e /*scan*/
    JOIN nack n ON n.flow_id = e.flow_id AND n.code = e.value
   WHERE (e.kind IN ('nak_seq', 'nak_fatal', 'rnr_nak')
          OR e.kind = 'trimmed' AND n.name LIKE 'TRIMMED%')
     AND coalesce(:from, :to) IS NOT NULL
     AND (:from IS NULL OR e.ns >= :from) AND (:to IS NULL OR e.ns <= :to))
SELECT code, name, count(DISTINCT flow_id) AS flows, sum(count) AS count,
       sum(resent) AS resent, min(first_ns) AS first_ns,
       min(react_min_ns) AS react_min_ns,
       CAST(sum(react_mean_ns * resent)
            / nullif(sum(CASE WHEN react_mean_ns IS NOT NULL
                              THEN resent END), 0) AS INTEGER)
         AS react_mean_ns,
       max(react_max_ns) AS react_max_ns
  FROM told
 GROUP BY code, name
 ORDER BY count DESC, code
 LIMIT :limit
