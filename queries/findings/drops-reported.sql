-- Do switches report that they dropped packets, and do the packets show it?
-- The packets decide; the switch says where and why.
-- needs sampled
SELECT CASE d.verdict WHEN 'explains' THEN 'info' ELSE 'warning' END
         AS severity,
       CASE d.verdict WHEN 'explains' THEN 0.9 ELSE 0.7 END AS confidence,
       ifnull(s.node, s.device) || ' reports '
         || plural(sum(d.estimated), 'packet') || ' dropped ('
         || d.reason || ')' || ifnull(' towards interface ' || d.output, '')
         || CASE d.verdict
              WHEN 'explains' THEN ': ' || plural(count(DISTINCT d.flow_id),
                                                  'flow')
                || ' of which packets were lost'
              ELSE ', but their ' || plural(count(DISTINCT d.flow_id), 'flow')
                || ' lost nothing that the packets show' END
         || ': ' || min(d.src) || ' > ' || min(d.dst)
         || CASE WHEN count(DISTINCT d.src || d.dst) > 1 THEN ', ...'
                 ELSE '' END AS title,
       CASE d.verdict WHEN 'explains'
            THEN 'According to the switch they were dropped here, '
              || 'and why; by the packets at most '
              || plural(CAST(sum(d.lost) AS INTEGER), 'packet')
              || ' of these flows were lost or retransmitted.'
            ELSE 'None of their packets was retransmitted at that time: the '
              || 'clock or the name of the switch is wrong, or it dropped '
              || 'other packets than it reports.' END AS detail,
       CASE d.verdict WHEN 'explains'
            THEN CASE WHEN d.reason IN ('no buffer', 'buffer', 'RED')
                      THEN 'Look at the queue and the buffer of this port, and '
                        || 'at who sends to it.'
                      ELSE 'Look up this drop reason of the switch: it is '
                        || 'not congestion.' END
            ELSE 'Compare the clock of the collector with that of the capture.'
       END AS action,
       CASE WHEN count(DISTINCT d.flow_id) = 1 THEN min(d.flow_id) END
         AS flow_id,
       min(d.first_ns) AS first_ns, max(d.last_ns) AS last_ns,
       json_object('numbers', json_object('reported', sum(d.estimated),
                                          'flows', count(DISTINCT d.flow_id)),
                   'query', 'fabscope query DB samples --param dropped=1')
         AS evidence
  FROM sampled d /*scan*/
  JOIN evidence_source s ON s.id = d.source_id
 WHERE d.dropped AND d.verdict IN ('explains', 'contradicts')
 GROUP BY s.device, d.output, d.reason, d.verdict
