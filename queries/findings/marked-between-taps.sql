-- Between which capture points was congestion marked?
-- Rule M5: an ECN-capable packet passed the first, and came marked to
-- the second.
-- needs segment
SELECT 'info' AS severity, 0.98 AS confidence,
       plural(s.marked, 'packet') || ' marked (CE) between ' || a.name
         || ' and ' || b.name AS title,
       human_share(1.0 * s.marked / s.packets) || ' of the '
         || human_count(s.packets) || ' packets seen at both ('
         || plural((SELECT count(*) FROM segment_flow
                     WHERE segment_id = s.id AND marked > 0), 'flow')
         || '). A queue between these two taps exceeded its marking '
         || 'threshold.'
         || CASE WHEN s.queue_p99_ns IS NOT NULL
                 THEN ' Packets waited there up to '
                      || human_ns(s.queue_p99_ns) || ' (99th percentile).'
                 ELSE '' END AS detail,
       'Look at the egress queues between these two taps: their depth, and '
         || 'their ECN thresholds.' AS action,
       s.to_tap_id AS tap_id, s.first_ns, s.last_ns,
       s.place, s.place_at,
       json_object(
         'frames', (SELECT json_group_array(json(j)) FROM
           (SELECT json_object('tap', s.to_tap_id, 'frame', m.marked_frame)
                     AS j
              FROM segment_flow m
             WHERE m.segment_id = s.id AND m.marked_frame IS NOT NULL
             ORDER BY m.marked DESC LIMIT 5)),
         'numbers', json_object('marked', s.marked,
                                'seen_at_both', s.packets),
         'query', 'fabscope query DB segments') AS evidence
  FROM segment s /*scan*/
  JOIN tap a ON a.id = s.from_tap_id
  JOIN tap b ON b.id = s.to_tap_id
 WHERE s.adjacent AND s.marked > 0
