-- Which flows are in both results, and how were they matched?
-- By their queue pairs where both have them, else as the same nth flow from one
-- host to the other.
--
-- column transport text  RC UC UD XRC DC UET-...
-- column matched_by text  number role, or only in a, only in b
-- column flows count  flows with data
-- column ways count  pairs of hosts
-- column a_bytes bytes  payload, each byte counted once in the first
-- column b_bytes bytes  payload, each byte counted once in the second
WITH m AS (
  SELECT match, transport, max(way) AS way, max(how) AS how,
         max(side = 'a') AS in_a, max(side = 'b') AS in_b,
         sum(bytes) FILTER (WHERE side = 'a') AS a,
         sum(bytes) FILTER (WHERE side = 'b') AS b
    FROM compared_flow /*scan*/ GROUP BY match, transport)
SELECT transport,
       CASE WHEN in_a AND in_b THEN how WHEN in_a THEN 'only in a'
            ELSE 'only in b' END AS matched_by,
       count(*) AS flows, count(DISTINCT way) AS ways, sum(a) AS a_bytes,
       sum(b) AS b_bytes
  FROM m GROUP BY 1, 2 ORDER BY 1, 2
