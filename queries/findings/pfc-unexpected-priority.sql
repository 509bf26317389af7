-- Were priorities paused that carry none of the flows?
-- Only where flows travel to the port that asks, so that their priority is
-- known; a priority that is only assumed from the DSCP lowers the confidence.
-- needs pause_sender
WITH carried AS (
  SELECT tap_id, source_mac, group_concat(DISTINCT priority) AS priorities,
         count(*) AS flows, sum(governed) AS governed,
         max(priority_from = 'dscp') AS assumed
    FROM paused_flow /*scan*/ GROUP BY tap_id, source_mac)
SELECT 'warning' AS severity, CASE WHEN c.assumed THEN 0.5 ELSE 0.8 END
         AS confidence,
       upper(substr(p.who, 1, 1)) || substr(p.who, 2) || ' pauses priority '
         || p.priority || ', but the flows to it '
         || 'use priority ' || c.priorities AS title,
       plural(p.xoff_frames, 'XOFF frame') || ' for priority ' || p.priority
         || '; ' || plural(c.flows, 'flow') || ' to that port in priority '
         || c.priorities
         || CASE WHEN c.assumed THEN ' (assumed: the DSCP divided by 8)'
                 ELSE '' END
         || '. PFC does not protect these flows, and other traffic is stalled.'
         AS detail,
       'Compare the mapping of DSCP to priority, and the priorities with PFC, '
         || 'at both ends of the link.' AS action,
       p.tap_id, p.first_ns, p.last_ns,
       json_object('frames', json_array(json_object('tap', p.tap_id,
                                                    'frame', p.frame)),
                   'numbers', json_object('xoff_frames', p.xoff_frames,
                                          'flows', c.flows),
                   'query', 'fabscope query DB pause-senders') AS evidence
  FROM pause_sender /*scan*/ p
  JOIN carried c ON c.tap_id = p.tap_id AND c.source_mac = p.source_mac
 WHERE p.priority IS NOT NULL
   AND c.governed = 0
