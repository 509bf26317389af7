-- Are ECN CE marks set on one of several equal links only?
-- All of them must be full: below that a queue needs not be long enough.
-- needs balance_member
WITH full AS (
  SELECT group_id, count(*) AS links, max(ce > 0) AS any,
         sum(ce * 1000 >= ect + ce) AS marking, sum(ce = 0) AS silent,
         min(utilization) AS least
    FROM balance_member
   WHERE utilization >= 0.95 AND ect + ce >= 1000
   GROUP BY group_id)
SELECT 'warning' AS severity, 0.8 AS confidence,
       'ECN CE marks on one of ' || plural(f.links, 'full link')
         || ' only: ' || m.member AS title,
       'It marks ' || human_share(1.0 * m.ce / (m.ce + m.ect))
         || ' of its packets. The others of ' || g.name || ' are at least '
         || human_share(f.least) || ' full of ECN-capable (ECT) packets and '
         || 'mark none: ECN is off or its threshold is too high there, or the '
         || 'marks are set downstream of the capture point.' AS detail,
       'Compare the ECN thresholds of these ports.' AS action,
       m.tap_id AS tap_id,
       json_object('numbers', json_object('ce', m.ce, 'ect', m.ect),
                   'query', 'fabscope query DB links --param group=' || g.id)
         AS evidence
  FROM full f
  JOIN link_group g ON g.id = f.group_id
  JOIN balance_member m ON m.group_id = f.group_id AND m.ce > 0
                       AND m.utilization >= 0.95
 WHERE f.links > 1 AND f.marking = 1 AND f.silent = f.links - 1
