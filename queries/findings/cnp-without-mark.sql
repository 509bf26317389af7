-- Were there notifications without a marked packet before them?
-- The causes are distinguished as far as one tap can.  That marks are set
-- downstream of this tap is normal near the senders and on a mirror of incoming
-- packets; it is said because 0 marks here do not mean none.
-- needs event
WITH odd AS (
  SELECT e.tap_id, e.flow_id, e.ns, e.frame, e.count, e.confidence, e.detail,
         substr(e.detail, 1, 5) AS cause, f.dst,
         first_value(e.tap_id) OVER w AS first_tap,
         first_value(e.frame) OVER w AS first_frame
    FROM event e
    JOIN flow f ON f.id = e.flow_id
   WHERE e.kind = 'cnp_unexplained'
  WINDOW w AS (PARTITION BY substr(e.detail, 1, 5) ORDER BY e.ns))
SELECT 'info' AS severity, max(confidence) AS confidence,
       plural(sum(count), 'CNP') || ' without a CE mark at this capture point: '
         || CASE cause
            WHEN '4.5-1' THEN 'marked downstream, or congestion inside the '
              || 'receiver'
            WHEN '4.5-2' THEN 'the marks are probably missing in the capture'
            WHEN '4.5-3' THEN 'sent together with NAKs'
            WHEN '4.5-4' THEN 'the receiver was not ready at the time'
            WHEN '4.5-5' THEN 'sent by a switch'
            ELSE 'to queue pairs that were not sending' END AS title,
       plural(count(DISTINCT flow_id), 'flow') || ', '
         || CASE count(DISTINCT dst) WHEN 1 THEN 'receiver ' || max(dst)
                 ELSE plural(count(DISTINCT dst), 'receiver') END || '. '
         || CASE cause
            WHEN '4.5-1' THEN
              CASE WHEN (SELECT sum(ce_data) FROM flow_sum /*scan*/) > 0
                   THEN 'Other packets are marked here, so a later hop marks '
                     || 'as well, or the receiver sends CNPs for another '
                     || 'reason.'
                   ELSE 'No packet at all is marked here: the switch that '
                     || 'marks is downstream (or is the mirroring switch), or '
                     || 'the receiver''s NIC sends CNPs because of '
                     || 'congestion inside it. A capture at the receiver''s '
                     || 'link tells '
                     || 'which.' END
            WHEN '4.5-2' THEN 'Packets of these flows are missing in the '
              || 'capture at those times.'
            WHEN '4.5-3' THEN 'Within 10 us of a sequence error NAK of the '
              || 'same receiver. Consistent with a NIC that slows senders '
              || 'down after a loss (slow restart).'
            WHEN '4.5-4' THEN 'Within 1 ms of a receiver-not-ready NAK.'
            WHEN '4.5-5' THEN 'Their time to live differs from that of the '
              || 'receiver''s packets, or their reserved bytes are in use: '
              || 'notifications of switches are consistent with that.'
            ELSE 'Wrong pairing, or the queue pair number was used again.' END
         AS detail,
       CASE cause
       WHEN '4.5-1' THEN 'Compare with a capture nearer to the receiver, or '
         || 'with the marking counters of the switches.'
       WHEN '4.5-3' THEN 'Look for the loss, not for congestion.' END AS action,
       CASE WHEN min(tap_id) = max(tap_id) THEN max(tap_id) END AS tap_id,
       CASE WHEN count(DISTINCT flow_id) = 1 THEN max(flow_id) END AS flow_id,
       min(ns) AS first_ns, max(ns) AS last_ns,
       json_object('frames', json_array(json_object('tap', first_tap,
                                                    'frame', first_frame)),
                   'numbers', json_object('cnp', sum(count),
                                          'flows', count(DISTINCT flow_id)),
                   'query',
                   'fabscope query DB events --param kind=cnp_unexplained')
         AS evidence
  FROM odd
 GROUP BY cause
