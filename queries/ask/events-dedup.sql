-- Of which kinds of events of a flow does another capture point know more?
-- For sums of events over all capture points: without these none counts twice.
-- Of each kind (lost upstream or downstream is one kind, retransmitted for any
-- reason is one) those of the capture point with most events count.  Empty where
-- no two capture points saw one flow.
--
-- column flow_id id  flow.id
-- column kind word  event.kind
-- column better_id id  flow.id of the same flow, there
--
-- example fabscope query DB events-dedup
WITH shared AS MATERIALIZED (
  SELECT flow_id, counted_id FROM same_flow /*scan*/
   UNION
  SELECT counted_id, counted_id FROM same_flow /*scan*/),
reported AS (
  SELECT s.counted_id, s.flow_id, e.kind, sum(ifnull(e.count, 1)) AS n,
         CASE WHEN e.kind LIKE 'loss%' THEN 'loss'
              WHEN e.kind LIKE 'retransmit%' THEN 'retransmit'
              ELSE e.kind END AS class
    FROM shared s
   CROSS JOIN event e ON e.flow_id = s.flow_id
   GROUP BY s.counted_id, s.flow_id, e.kind),
classed AS (
  SELECT *, sum(n) OVER (PARTITION BY counted_id, flow_id, class) AS all_n
    FROM reported)
SELECT flow_id, kind, better_id
  FROM (SELECT flow_id, kind,
               first_value(flow_id) OVER (PARTITION BY counted_id, class
                                          ORDER BY all_n DESC, flow_id)
                 AS better_id
          FROM classed)
 WHERE better_id <> flow_id
 ORDER BY flow_id, kind
