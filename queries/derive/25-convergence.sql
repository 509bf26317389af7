-- After flows joined others, how long until all had their fair share?
-- From the first packet of the last flows to join (those less than a
-- millisecond apart join together) until every flow is within 10 % of the mean
-- and stays there for ten windows and a millisecond at least (BMWG 7.3).
--
-- into convergence
WITH joins AS MATERIALIZED (
  SELECT f.tap_id, f.dst, f.first_ns,
         f.first_ns - lag(f.first_ns, 1, 0)
           OVER (PARTITION BY f.tap_id, f.dst ORDER BY f.first_ns) AS after
    FROM congestion /*scan*/ c
    JOIN flow f ON f.id = c.flow_id),
t0 AS MATERIALIZED (
  SELECT tap_id, dst, max(first_ns) FILTER (WHERE after > 1000000) AS joined
    FROM joins GROUP BY tap_id, dst),
late AS MATERIALIZED (
  SELECT j.tap_id, j.dst, count(*) AS flows
    FROM t0 t
    JOIN joins j ON j.tap_id = t.tap_id AND j.dst = t.dst
                AND j.first_ns >= t.joined
   GROUP BY j.tap_id, j.dst),
run AS (
  SELECT y.*, t.joined,
         min(CASE WHEN y.even < y.flows THEN y.start_ns END) OVER later
           AS bad,
         min(CASE WHEN y.even < 0.95 * y.flows THEN y.start_ns END) OVER later
           AS nearly_bad,
         max(y.start_ns + y.window_ns)
           OVER (PARTITION BY y.tap_id, y.receiver) AS over,
         max(10 * y.window_ns, 1000000) AS hold,
         row_number() OVER (PARTITION BY y.tap_id, y.receiver
                            ORDER BY y.start_ns) AS nth,
         row_number() OVER (PARTITION BY y.tap_id, y.receiver
                            ORDER BY y.start_ns DESC) AS nth_last
    FROM fairness y /*scan*/
   CROSS JOIN t0 t ON t.tap_id = y.tap_id AND t.dst = y.receiver
                  AND t.joined <= y.start_ns
  WINDOW later AS (PARTITION BY y.tap_id, y.receiver ORDER BY y.start_ns
                   ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING))
SELECT r.tap_id, r.receiver, r.joined AS joined_ns, max(r.flows) AS flows,
       max(l.flows) AS joined,
       max(r.window_ns) AS window_ns,
       min(r.start_ns) FILTER (WHERE ifnull(bad, over) - r.start_ns >= hold)
         - r.joined AS converged_ns,
       min(r.start_ns) FILTER (WHERE ifnull(nearly_bad, over) - r.start_ns
                                     >= hold) - r.joined AS nearly_ns,
       max(r.over) - r.joined AS observed_ns,
       max(r.jfi) FILTER (WHERE nth = 1) AS jfi_first,
       max(r.jfi) FILTER (WHERE nth_last = 1) AS jfi_last
  FROM run r
  JOIN late l ON l.tap_id = r.tap_id AND l.dst = r.receiver
 GROUP BY r.tap_id, r.receiver
 ORDER BY r.tap_id, r.receiver
