-- Did a sender go on as before although it received CNPs?
-- After so many closely spaced CNPs hardly anything should be left of its rate
-- by DCQCN.  Reported as what is visible: rate control may be off in
-- its NIC, be another one than DCQCN, or be tuned so that it makes up at once.
-- One finding a sender, from the place that saw the longest row.
-- param least count 30  CNPs in a row without visible effect
-- needs congestion
WITH not_reacted AS (
  SELECT c.*, f.src, f.dst, f.tap_id,
         row_number() OVER (PARTITION BY f.src, f.dst, f.dst_qp
                            ORDER BY c.ignored DESC, c.flow_id) AS place
    FROM congestion /*scan*/ c
    JOIN flow f ON f.id = c.flow_id
   WHERE c.ignored >= :least),
heard AS (
  SELECT count(DISTINCT f.src) AS senders
    FROM congestion c
    JOIN flow f ON f.id = c.flow_id
   WHERE c.reacted > 0 AND c.ignored = 0
     AND f.src NOT IN (SELECT src FROM not_reacted))
SELECT 'warning' AS severity,
       CASE WHEN senders > 0 AND max(ignored) >= 100 THEN 0.85
            WHEN senders > 0 OR max(ignored) >= 100 THEN 0.75
            ELSE 0.65 END AS confidence,
       src || ' receives CNPs and does not reduce its rate: '
         || plural(max(ignored), 'CNP') || ' in a row without effect, '
         || CASE WHEN count(*) = 1 THEN src || ' > ' || max(dst)
                 ELSE plural(count(*), 'flow') END AS title,
       'The rate was ' || human_rate(max(rate_start_bps)) || ' before, and '
         || human_rate(max(rate_end_bps)) || ' after them. '
         || CASE WHEN senders > 0
                 THEN plural(senders, 'other sender') || ' reduced '
                   || iif(senders = 1, 'its', 'their') || ' rate, which left '
                   || 'it more bandwidth. ' ELSE '' END
         || 'Consistent with rate control (DCQCN reaction point) switched off '
         || 'for this traffic class, with another congestion control, or with '
         || 'parameters that restore the rate at once.' AS detail,
       'Look at ' || src || ': is ECN/DCQCN on for this priority (reaction '
         || 'point), does its counter of handled CNPs grow, do CNPs reach it '
         || 'in the class it expects?' AS action,
       CASE WHEN min(tap_id) = max(tap_id) THEN max(tap_id) END AS tap_id,
       CASE WHEN count(*) = 1 THEN max(flow_id) END AS flow_id,
       min(first_cnp_ns) AS first_ns, max(last_cnp_ns) AS last_ns,
       json_object('frames',
                   (SELECT json_group_array(json(j)) FROM
                     (SELECT json_object('tap', n.tap_id, 'frame', n.frame)
                               AS j
                        FROM cnp n
                       WHERE n.flow_id = not_reacted.flow_id
                         AND n.reaction = 'none'
                       ORDER BY n.ns LIMIT 5)),
                   'numbers',
                   json_object('ignored', max(ignored), 'flows', count(*),
                               'rate_before_bps', max(rate_start_bps),
                               'rate_after_bps', max(rate_end_bps)),
                   'query', 'fabscope query DB cnps --param flow='
                            || min(flow_id)) AS evidence
  FROM not_reacted, heard
 WHERE place = 1
 GROUP BY src
