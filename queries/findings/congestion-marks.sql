-- Were there congestion marks or congestion notifications?
-- Only told: what senders and receivers make of them, other rules judge.
WITH f AS (
  SELECT sum(ce_data) AS ce, sum(ect_data) AS ect FROM flow_sum /*scan*/),
r AS (
  SELECT sum(reacted > 0) AS slowed, sum(ignored > 0) AS deaf,
         sum(cnps > 0) AS told FROM congestion /*scan*/)
SELECT 'info' AS severity, 0.99 AS confidence,
       CASE WHEN sum(t.ce) > 0
            THEN plural(sum(t.ce), 'packet') || ' with a congestion mark (CE)'
            ELSE '' END
         || CASE WHEN sum(t.ce) > 0 AND sum(packets_cnp) > 0
                 THEN ' and ' ELSE '' END
         || CASE WHEN sum(packets_cnp) > 0
                 THEN plural(sum(packets_cnp), 'congestion notification')
                      || ' (CNP)' ELSE '' END AS title,
       CASE WHEN sum(t.ce) > 0
            THEN human_share(1.0 * max(f.ce) / nullif(max(f.ce + f.ect), 0))
                 || ' of the data packets that can be marked are. Marks of '
                 || 'the mirroring switch itself may be missing. '
            ELSE 'No marked packet is in the capture. ' END
         || CASE WHEN max(r.told) > 0
                 THEN 'Of ' || plural(max(r.told), 'flow') || ' that were told '
                      || 'to slow down, ' || ifnull(max(r.slowed), 0)
                      || ' did so visibly'
                      || CASE WHEN max(r.deaf) > 0
                              THEN ' and ' || max(r.deaf) || ' did not'
                              ELSE '' END
                      || '; of the others it cannot be told from here.'
                 ELSE '' END AS detail,
       NULL AS action,
       CASE WHEN min(id) = max(id) THEN max(id) END AS tap_id,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('numbers',
                   json_object('ce', sum(t.ce), 'ect', sum(t.ect),
                               'cnp', sum(packets_cnp),
                               'flows_told', max(r.told),
                               'flows_slowed', max(r.slowed)),
                   'query', 'fabscope query DB ecn') AS evidence
  FROM tap t, f, r
 WHERE t.ce > 0 OR packets_cnp > 0
HAVING count(*) > 0
