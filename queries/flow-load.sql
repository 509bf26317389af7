-- How did the load of each flow change over time?
-- Of each flow that has a series: many flows with few packets have none.
--
-- param from time NULL  not before
-- param to time NULL  not after
-- column flow_id id  flow.id
-- column load spark  bytes in each of twelve equal parts of the time
--
-- example fabscope query DB flow-load
WITH span AS (
  SELECT coalesce(:from, min(first_ns)) AS a,
         max(coalesce(:to, max(last_ns)) - coalesce(:from, min(first_ns)), 1)
           AS w
    FROM tap),
part AS (
  SELECT b.scope_id AS flow_id, b.bytes,
         min(max((b.start_ns + b.width_ns / 2 - s.a) * 12 / s.w, 0), 11) AS k
    FROM span s, bin b
   WHERE b.scope = 'flow' AND b.start_ns + b.width_ns > s.a
     AND b.start_ns < s.a + s.w)
SELECT flow_id,
       json_array(sum(iif(k = 0, bytes, 0)), sum(iif(k = 1, bytes, 0)),
                  sum(iif(k = 2, bytes, 0)), sum(iif(k = 3, bytes, 0)),
                  sum(iif(k = 4, bytes, 0)), sum(iif(k = 5, bytes, 0)),
                  sum(iif(k = 6, bytes, 0)), sum(iif(k = 7, bytes, 0)),
                  sum(iif(k = 8, bytes, 0)), sum(iif(k = 9, bytes, 0)),
                  sum(iif(k = 10, bytes, 0)), sum(iif(k = 11, bytes, 0)))
         AS load
  FROM part
 GROUP BY flow_id
