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
slot(k) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11)),
-- Counted from the begin of the time: sums of nanoseconds since 1970 are not
-- exact in floating point.
series AS (
  SELECT b.scope_id AS flow_id, b.start_ns - s.a AS begin_ns,
         b.start_ns - s.a + b.width_ns AS end_ns,
         1.0 * b.bytes / b.width_ns AS rate, s.w / 12.0 AS step
    FROM span s, bin b
   WHERE b.scope = 'flow' AND b.start_ns + b.width_ns > s.a
     AND b.start_ns < s.a + s.w),
-- A bin has its share in each part of the time that it reaches into.
part AS (
  SELECT flow_id, k,
         CAST(round(sum(rate * (min(end_ns, step * (k + 1))
                                - max(begin_ns, step * k)))) AS INTEGER)
           AS bytes
    FROM series
    JOIN slot ON step * k < end_ns AND step * (k + 1) > begin_ns
   GROUP BY flow_id, k)
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
