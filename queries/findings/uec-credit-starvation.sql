-- Did senders stop in the middle of a message for lack of credits (UEC CBFC)?
-- What the receiver gave back is in no Ethernet frame: that it gave nothing is
-- inferred from counters of used credits that do not move.
-- param least duration 1ms  shorter stalls are not reported
-- needs stall
WITH s AS (
  SELECT tap_id, source_mac, priority AS channel, flow_id, first_ns, last_ns,
         frame
    FROM stall /*scan*/
   WHERE cause = 'uec-cbfc' AND last_ns - first_ns >= :least)
SELECT 'warning' AS severity, 0.6 AS confidence,
       'UEC CBFC: channel ' || s.channel || ' of port ' || s.source_mac
         || ' seems to have run out of credits, ' || times(count(*))
         AS title,
       plural(count(DISTINCT s.flow_id), 'flow') || ' stalled in the middle '
         || 'of messages, at most '
         || human_ns(max(s.last_ns - s.first_ns)) || ', while the port said '
         || 'that the channel used no credits. The receiver returned none in '
         || 'time, or the port itself had stopped: returned credits are not in '
         || 'an Ethernet capture.' AS detail,
       'Look at the receiver at the other end of that link: its buffers, and '
         || 'whether the credits of the channel cover the round-trip time of '
         || 'the link.'
         AS action,
       s.tap_id, min(s.first_ns) AS first_ns, max(s.last_ns) AS last_ns,
       sum(s.last_ns - s.first_ns) AS cost_ns,
       json_object('frames',
                   json_group_array(json_object('tap', s.tap_id,
                                                'frame', s.frame))
                     FILTER (WHERE s.nth <= 5),
                   'flows', json_group_array(DISTINCT s.flow_id),
                   'numbers', json_object('stalls', count(*)),
                   'query', 'fabscope query DB uec-credits-over-time --param '
                     || 'channel=' || s.channel) AS evidence
  FROM (SELECT *, row_number() OVER (PARTITION BY tap_id, source_mac, channel
                                     ORDER BY first_ns - last_ns, flow_id)
                    AS nth FROM s) s
 GROUP BY s.tap_id, s.source_mac, s.channel
