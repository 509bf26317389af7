-- What did targets refuse, by NACK code, and what came of it (Ultra Ethernet)?
--
-- param from time NULL  only flows that were there after
-- param to time NULL  only flows that were there before
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
SELECT code, name, count(*) AS flows, sum(count) AS count,
       sum(resent) AS resent, min(first_ns) AS first_ns,
       min(react_min_ns) AS react_min_ns,
       CAST(sum(react_mean_ns * resent)
            / nullif(sum(CASE WHEN react_mean_ns IS NOT NULL
                              THEN resent END), 0) AS INTEGER)
         AS react_mean_ns,
       max(react_max_ns) AS react_max_ns
  FROM nack n /*scan*/
 WHERE coalesce(:from, :to) IS NULL
    OR EXISTS (SELECT 1 FROM flow f
                WHERE f.id = n.flow_id
                  AND (:from IS NULL OR f.last_ns >= :from)
                  AND (:to IS NULL OR f.first_ns <= :to))
 GROUP BY code, name
 ORDER BY count DESC, code
 LIMIT :limit
