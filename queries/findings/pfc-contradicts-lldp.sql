-- Do pause frames contradict what ports advertise?
-- A pause of a priority that the port that sends it, or the other end of its
-- link, has without PFC; and pauses of the whole link where PFC is configured.
-- needs lldp
WITH speakers AS MATERIALIZED (
  SELECT tap_id, count(DISTINCT source_mac) AS n
    FROM lldp /*scan*/ GROUP BY tap_id),
said AS (
  SELECT p.tap_id, p.source_mac, p.who, p.priority, p.xoff_frames, p.first_ns,
         p.last_ns, p.frame, l.frame AS lldp_frame,
         l.source_mac = p.source_mac AS own,
         ifnull(l.system || ' port ' || l.port, l.source_mac) AS speaker,
         CASE WHEN p.priority IS NULL
              THEN CASE WHEN l.pfc_enabled > 0 THEN 'link' END
              WHEN NOT l.pfc_enabled >> p.priority & 1 THEN 'priority' END
           AS against
    FROM pause_sender /*scan*/ p
    JOIN speakers n ON n.tap_id = p.tap_id
    JOIN lldp /*scan*/ l ON l.tap_id = p.tap_id
   WHERE p.xoff_frames > 0
     AND l.pfc_enabled IS NOT NULL
     AND l.first_ns <= p.last_ns
     AND (l.source_mac = p.source_mac OR n.n <= 2))
SELECT 'warning' AS severity,
       CASE WHEN max(own) THEN 0.95 ELSE 0.85 END AS confidence,
       CASE against
         WHEN 'link'
         THEN upper(substr(who, 1, 1)) || substr(who, 2)
              || ' pauses the whole link (802.3x), though PFC is advertised'
         ELSE upper(substr(who, 1, 1)) || substr(who, 2)
              || ' pauses priority ' || priority || ', which '
              || CASE WHEN max(own) THEN 'it' ELSE max(speaker) END
              || ' advertises without PFC' END AS title,
       plural(max(xoff_frames), 'frame') || ' are XOFF. '
         || CASE against
              WHEN 'link' THEN 'They stop every priority, also those that must '
                || 'not be paused.'
              ELSE 'A port without PFC for that priority ignores them, keeps '
                || 'sending, and packets are dropped.' END AS detail,
       'Make the PFC configuration of both ends of this link the same.'
         AS action,
       tap_id, min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('frames', json_array(json_object('tap', tap_id, 'frame',
                                                    min(frame)),
                                        json_object('tap', tap_id, 'frame',
                                                    min(lldp_frame))),
                   'numbers', json_object('xoff_frames', max(xoff_frames)),
                   'query', 'fabscope query DB lldp --param tap=' || tap_id)
         AS evidence
  FROM said
 WHERE against IS NOT NULL
 GROUP BY tap_id, source_mac, priority, against
