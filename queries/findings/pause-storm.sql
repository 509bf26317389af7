-- Was a link paused longer than congestion explains?
-- One finding for each storm that none is seen behind; circles are reported by
-- pause-deadlock.
-- needs pause_sender
WITH propagation AS (
  SELECT root_id, count(*) AS links, max(last_ns) AS last_ns
    FROM storm /*scan*/ GROUP BY root_id),
hit AS (
  SELECT storm_id, sum(stalled_ns) AS cost_ns, count(*) AS flows,
         json_group_array(flow_id) AS ids
    FROM (SELECT * FROM stalled_flow /*scan*/ WHERE storm_id IS NOT NULL
           ORDER BY stalled_ns DESC, flow_id)
   GROUP BY storm_id)
SELECT CASE s.level WHEN 'storm' THEN 'critical' ELSE 'warning' END
         AS severity,
       CASE s.level WHEN 'storm' THEN 0.95 WHEN 'suspect' THEN 0.8
                    ELSE 0.9 END
         * CASE WHEN s.vague > 0 THEN 0.8 ELSE 1 END AS confidence,
       CASE s.level WHEN 'storm' THEN 'Pause storm: '
                    WHEN 'suspect' THEN 'Pause storm suspected: '
                    ELSE 'Paused too often: ' END
         || p.who || ' pauses '
         || ifnull('priority ' || s.priority || ' of its link', 'its link')
         || ' for ' || human_ns(s.paused_ns) AS title,
       'Paused for '
         || human_share(1.0 * s.paused_ns / nullif(s.last_ns - s.first_ns, 0))
         || ' of ' || human_ns(s.last_ns - s.first_ns) || ', by '
         || plural(s.xoff_frames, 'frame') || '; the longest pause lasted '
         || human_ns(s.longest_ns) || '. '
         || CASE WHEN s.longest_ns >= 200000000
                 THEN 'That is more than the 200 ms after which the watchdogs '
                   || 'of SONiC and Juniper switches act by default (by '
                   || 'duration alone: they also check whether packets are '
                   || 'queued). '
                 WHEN s.longest_ns >= 100000000
                 THEN 'That is more than 100 ms, at which a watchdog can be '
                   || 'set to act; the defaults of SONiC and Juniper are 200 '
                   || 'ms. '
                 ELSE '' END
         || CASE WHEN s.seen > 0
                 THEN plural(s.seen, 'packet') || ' of the priority went '
                   || 'through meanwhile. '
                 WHEN s.vague > 0
                 THEN 'Whether packets went through is not observable: their MAC '
                   || 'addresses do not say which way they travel. '
                 ELSE 'No packet of the priority went through. ' END
         || CASE WHEN x.links > 1
                 THEN 'It spread to '
                      || plural(x.links - 1, 'other captured link')
                      || ', up to ' || plural(s.depth, 'hop') || ' away. '
                 ELSE '' END
         || CASE WHEN s.root IS NOT NULL
                 THEN 'It begins at a host: no other pause causes it. '
                 WHEN x.links > 1
                 THEN 'No other link of the device with that port is captured, '
                   || 'so the pauses may begin further away. '
                 ELSE 'Local pause only: the root cannot be located. ' END
         || CASE WHEN h.flows > 0
                 THEN plural(h.flows, 'flow') || ' stalled for '
                      || human_ns(h.cost_ns) || ' in all.' ELSE '' END
         AS detail,
       CASE WHEN s.root IS NOT NULL
            THEN 'Look at ' || s.root || ': receive buffers, PCIe, memory, '
              || 'NIC firmware. Check that its stall prevention and the '
              || 'watchdog of its switch port are on.'
            ELSE 'Capture pause frames at the other ports of the switch with '
              || 'port ' || s.source_mac || ': the port that pauses it leads '
              || 'to the root.' END AS action,
       s.tap_id, s.first_ns, x.last_ns, h.cost_ns,
       p.place, p.place_at,
       json_object('frames', json_array(json_object('tap', s.tap_id,
                                                    'frame', s.frame)),
                   'flows', json(ifnull(h.ids, '[]')),
                   'numbers',
                   json_object('paused_ns', s.paused_ns, 'longest_ns',
                               s.longest_ns, 'xoff_frames', s.xoff_frames,
                               'seen', s.seen, 'vague', s.vague,
                               'links', x.links, 'depth', s.depth,
                               'flows', ifnull(h.flows, 0)),
                   'query', 'fabscope query DB storms --param root=' || s.id)
         AS evidence
  FROM storm /*scan*/ s
  JOIN propagation x ON x.root_id = s.id
  JOIN pause_sender p ON p.tap_id = s.tap_id AND p.source_mac = s.source_mac
               AND p.priority IS s.priority
  LEFT JOIN hit h ON h.storm_id = s.id
 WHERE s.level IN ('heavy', 'suspect', 'storm')
