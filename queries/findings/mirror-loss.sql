-- Were mirrored packets lost on their way to the capture?
-- ERSPAN numbers the packets it mirrors: a missing number is a lost packet.
-- param most count 5  taps listed by name; more are counted together
SELECT 'warning' AS severity, 0.95 AS confidence,
       plural(sum(mirror_seq_lost), 'mirrored packet')
         || ' lost between the mirroring switch and the capture: '
         || CASE count(*) WHEN 1 THEN 'tap ' || ifnull(max(name), max(id))
                          ELSE plural(count(*), 'tap') END AS title,
       'The sequence numbers of the mirror encapsulation have gaps: the '
         || 'switch mirrored these packets, and they were not captured. '
         || 'The original packets did reach the next hop.' AS detail,
       'Give the mirror traffic more bandwidth; read loss figures with care.' AS action,
       CASE count(*) WHEN 1 THEN max(id) END AS tap_id,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('numbers',
                   json_object('mirror_seq_lost', sum(mirror_seq_lost)),
                   'query', 'fabscope query DB capture-quality') AS evidence
  FROM tap
 WHERE mirror_seq_lost > 0
 GROUP BY CASE WHEN (SELECT count(*) FROM tap WHERE mirror_seq_lost > 0)
                    <= :most THEN id END
