-- Were packets lost between two capture points?
-- Rule M1: the same packet number was lost behind one place of capture and
-- before another.  The findings of each place count the same losses.
WITH lost AS MATERIALIZED (
  SELECT r.id, r.psn, r.cause, r.lost_min, r.first_ns, r.last_ns, r.tap_id,
         ifnull(r.frame_detect, r.frame_first) AS frame, r.confidence,
         t.place, t.name, f.src, f.dst, f.dst_qp
    FROM recovery /*scan*/ r
    JOIN flow f ON f.id = r.flow_id
    JOIN tap t ON t.id = r.tap_id
   WHERE r.cause IN ('loss_upstream', 'loss_downstream', 'loss_or_reorder')
     AND NOT f.spray_suspect
     AND (SELECT count(DISTINCT place) FROM tap) > 1)
SELECT 'info' AS severity, min(a.confidence) AS confidence,
       plural(sum(b.lost_min), 'packet') || ' lost between the taps '
         || a.name || ' and ' || b.name || ': '
         || CASE WHEN count(DISTINCT a.src || ' ' || a.dst) = 1
                 THEN max(a.src) || ' > ' || max(a.dst)
                 ELSE plural(count(DISTINCT a.src || ' ' || a.dst),
                             'host pair') END AS title,
       'They passed ' || a.name || ' and did not come by ' || b.name
         || '. These losses are also counted in what is found at each of '
         || 'the two taps.' AS detail,
       'Look at what is between these two taps.' AS action,
       min(a.first_ns) AS first_ns, max(a.last_ns) AS last_ns,
       json_object('frames',
                   json_array(json_object('tap', a.tap_id,
                                          'frame', min(a.frame)),
                              json_object('tap', b.tap_id,
                                          'frame', min(b.frame))),
                   'numbers', json_object('lost', sum(b.lost_min)),
                   'query', 'fabscope query DB recoveries') AS evidence
  FROM lost a
  JOIN lost b ON b.src = a.src AND b.dst = a.dst AND b.dst_qp = a.dst_qp
             AND b.psn = a.psn
 WHERE a.cause <> 'loss_upstream' AND b.cause = 'loss_upstream'
   AND a.place <> b.place
   AND abs(a.first_ns - b.first_ns) < 1000000000
 GROUP BY a.tap_id, b.tap_id
