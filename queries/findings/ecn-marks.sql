-- Were there ECN CE marks or congestion notifications?
-- Only reported: what senders and receivers make of them, other rules judge.  What
-- several places saw counts once.
-- uses marks-dedup
WITH f AS (
  SELECT sum(ce_data) AS ce, sum(ect_data) AS ect FROM flow_sum /*scan*/),
r AS (
  SELECT sum(slowed) AS slowed, sum(not_reacted) AS not_reacted,
         count(*) AS notified
    FROM (SELECT max(c.reacted > 0) AS slowed, max(c.ignored > 0) AS not_reacted
            FROM congestion c /*scan*/
            LEFT JOIN same_flow k ON k.flow_id = c.flow_id
           WHERE c.cnps > 0
           GROUP BY ifnull(k.counted_id, c.flow_id))),
t AS (
  SELECT count(*) AS n, sum(t.ce) - a.ce AS ce, sum(t.ect) AS ect,
         sum(packets_cnp) - a.cnp AS cnp,
         CASE WHEN min(id) = max(id) THEN max(id) END AS tap_id,
         min(first_ns) AS first_ns, max(last_ns) AS last_ns
    FROM marks_dedup a
   CROSS JOIN tap t
   WHERE t.ce > 0 OR packets_cnp > 0)
SELECT 'info' AS severity, 0.99 AS confidence,
       CASE WHEN t.ce > 0
            THEN plural(t.ce, 'packet') || ' with an ECN CE mark'
            ELSE '' END
         || CASE WHEN t.ce > 0 AND t.cnp > 0
                 THEN ' and ' ELSE '' END
         || CASE WHEN t.cnp > 0
                 THEN plural(t.cnp, 'congestion notification')
                      || ' (CNP)' ELSE '' END AS title,
       CASE WHEN t.ce > 0
            THEN human_share(1.0 * f.ce / nullif(f.ce + f.ect, 0))
                 || ' of the ECN-capable data packets are marked. Marks of '
                 || 'the mirroring switch itself may be missing. '
            ELSE 'No marked packet is in the capture. ' END
         || CASE WHEN r.notified > 0
                 THEN plural(r.notified, 'flow') || ' received CNPs; '
                   || ifnull(r.slowed, 0) || ' of them reduced their rate'
                   || CASE WHEN r.not_reacted > 0
                           THEN ', ' || r.not_reacted || ' did not' ELSE '' END
                   || iif(r.notified > ifnull(r.slowed, 0)
                                       + ifnull(r.not_reacted, 0),
                          ', and of the others it is not observable here.',
                          '.')
                 ELSE '' END AS detail,
       NULL AS action,
       t.tap_id, t.first_ns, t.last_ns,
       json_object('numbers',
                   json_object('ce', t.ce, 'ect', t.ect,
                               'cnp', t.cnp,
                               'flows_notified', r.notified,
                               'flows_slowed', r.slowed),
                   'query', 'fabscope query DB ecn') AS evidence
  FROM t, f, r
 WHERE t.n > 0
