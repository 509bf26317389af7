-- Which KPIs are there in either, and what became of them?
-- A KPI is one number: whether its change is significant is known where something was
-- measured many times that it is made of (diff/tests), else it not known.
--
-- column section text  of the draft
-- column name text  as in the draft
-- column unit text  of the values; counts are per second
-- column a real  of the first; NULL not measured
-- column b real  of the second; NULL not measured
-- column change share  second over first, less 1; NULL: from 0
-- column verdict text  same, different, not significant, cannot tell, only in a, only in b
-- column why text  the test, or what the other would need
WITH test(name, metric) AS (
  VALUES ('Aggregate Throughput', 'throughput of a flow'),
         ('Packet Drop Rate', 'lost share of a flow'),
         ('ECN Marking Ratio', 'CE share of a flow'),
         ('ECN marking ratio of ECN-capable data', 'CE share of a flow'),
         ('RDMA Retransmission Rate', 'retransmitted share of a flow'),
         ('Out-of-Order Packet Rate', 'out-of-order share of a flow'),
         ('Jain Fairness Index (JFI)', 'balance of links (JFI)'),
         ('JFI, ECMP', 'balance of links (JFI)'),
         ('Job Completion Time (JCT)', 'iteration, begin to begin'),
         ('Bus Bandwidth (BusBW)', 'bus bandwidth of a phase'),
         ('Message completion, mean', 'message completion'),
         ('Message completion, mean', 'completion of a message'),
         ('Message completion, max', 'completion of a message'),
         ('Message completion, max', 'slowest message of a flow')),
k AS (
  SELECT name, min(section) AS section, min(place) AS place,
         max(unit) AS unit,
         max(value) FILTER (WHERE side = 'a') AS a,
         max(value) FILTER (WHERE side = 'b') AS b,
         max(missing) FILTER (WHERE side = 'a') AS needs_a,
         max(missing) FILTER (WHERE side = 'b') AS needs_b
    FROM compared_kpi /*scan*/ GROUP BY name),
m AS (
  SELECT t.name, t.metric, sum(c.verdict = 'different') AS different,
         count(c.p) AS n, sum(c.a_n) AS na, sum(c.b_n) AS nb
    FROM test t JOIN compared_test c /*scan*/ ON c.metric = t.metric
   GROUP BY t.name)
SELECT k.section, k.name, k.unit, k.a, k.b,
       (k.b - k.a) / nullif(abs(k.a), 0) AS change,
       CASE WHEN k.b IS NULL THEN 'only in a' WHEN k.a IS NULL THEN 'only in b'
            WHEN abs(k.a - k.b) <= 1e-9 * max(abs(k.a), abs(k.b)) THEN 'same'
            WHEN m.different > 0 THEN 'different'
            WHEN m.n > 0 THEN 'not significant'
            ELSE 'cannot tell' END AS verdict,
       CASE WHEN k.b IS NULL THEN 'the second needs ' || k.needs_b
            WHEN k.a IS NULL THEN 'the first needs ' || k.needs_a
            WHEN m.n > 0 THEN m.metric || ': ' || m.na || ' and ' || m.nb || ' values'
            WHEN abs(k.a - k.b) > 1e-9 * max(abs(k.a), abs(k.b))
            THEN 'one value each' END AS why
  FROM k LEFT JOIN m ON m.name = k.name
 WHERE k.a IS NOT NULL OR k.b IS NOT NULL
 ORDER BY CAST(k.section AS REAL), k.place, k.name
