-- Can the network be cleared of loss?
-- Only when nothing was found that matters and enough was seen to find it.
-- Flows that suffer have few packets, so flows count as well; those at several
-- taps once, marks and notifications too.
-- param both share 0.9  of packets and flows both directions must be visible
-- param missing share 0.001  the capture may miss so much
-- uses seen-again
-- last
WITH c AS (
  SELECT sum(packets) AS packets, sum(connected_packets) AS connected, sum(packets_both) AS both,
         sum(connected_flows) AS connected_flows, sum(flows_both) AS flows_both,
         sum(checked) AS expected, sum(capture_missing) AS missing,
         sum(unresolved) AS unresolved, sum(flows_sprayed) AS sprayed
    FROM coverage),
m AS (
  SELECT ifnull(sum(ce), 0) - (SELECT ce FROM seen_again) AS ce,
         ifnull(sum(packets_cnp), 0) - (SELECT cnp FROM seen_again) AS cnp,
         count(DISTINCT place) AS places,
         ifnull(sum(packets_pfc), 0) + ifnull(sum(packets_pause), 0) AS pause,
         (SELECT ifnull(sum(episodes), 0) FROM incident
           WHERE kind = 'doubled') AS doubled,
         (SELECT ifnull(sum(episodes), 0) FROM incident
           WHERE kind = 'reorder_tolerated') AS late,
         min(first_ns) AS first_ns, max(last_ns) AS last_ns FROM tap),
a AS (
  SELECT ifnull(sum(again), 0) AS again, sum(flows) AS flows FROM service),
but(n, what) AS (
  SELECT ce + cnp, 'did mark congestion' FROM m WHERE ce + cnp > 0
  UNION ALL SELECT pause, 'did pause senders' FROM m WHERE pause > 0
  UNION ALL SELECT doubled, 'did double packets' FROM m WHERE doubled > 0
  UNION ALL SELECT late, 'did reorder packets' FROM m WHERE late > 0)
SELECT 'exonerates' AS severity, 0.9 AS confidence,
       CASE WHEN a.again > 0
            THEN 'No loss: the network did not drop this traffic ('
                 || plural(a.again, 'packet') || ' sent again all the same'
                 || ifnull('; it ' || (SELECT group_concat(what, ', ')
                                         FROM but), '') || ')'
            WHEN EXISTS (SELECT 1 FROM but)
            THEN 'No loss and no retransmission: the network did not drop '
                 || 'this traffic (it '
                 || (SELECT group_concat(what, ', ') FROM but) || ')'
            ELSE 'No loss, no retransmission, no congestion mark: nothing '
                 || 'here points to the network' END AS title,
       'Seen: ' || plural(c.packets, 'packet') || ' of '
         || plural(a.flows, 'flow')
         || CASE WHEN m.places > 1
                 THEN ' at ' || m.places || ' places of capture, over '
                 ELSE ' over ' END
         || human_ns(m.last_ns - m.first_ns) || '; both directions of '
         || human_share(1.0 * c.both / c.connected)
         || ' of the packets; '
         || CASE WHEN c.missing > 0
                 THEN plural(c.missing, 'packet') || ' missing in the capture ('
                      || human_share(1.0 * c.missing / c.expected) || ')'
                 ELSE 'no packet missing in the capture' END || '. '
         || CASE WHEN m.ce + m.cnp > 0
                 THEN plural(m.ce, 'packet') || ' marked and '
                      || plural(m.cnp, 'CNP')
                      || ': rate cuts are not excluded. ' ELSE '' END
         || CASE WHEN m.pause > 0
                 THEN plural(m.pause, 'pause frame')
                      || ' (PFC or 802.3x): that senders were held up is not '
                      || 'excluded. ' ELSE '' END
         || 'Marks that later switches set are not seen here. '
         || ifnull('Not visible from here, so not excluded: '
                   || (SELECT group_concat(what, ', ') FROM
                        (SELECT DISTINCT what FROM observability
                          WHERE verdict = 'no'
                            AND what IN ('pfc', 'ce', 'cnp', 'credit')
                          ORDER BY what)) || '.', '') AS detail,
       'Look at the hosts: applications, memory, PCIe, storage; or capture '
         || 'elsewhere.' AS action,
       m.first_ns, m.last_ns,
       json_object('numbers',
                   json_object('packets', c.packets, 'flows', a.flows,
                               'packets_both', c.both,
                               'capture_missing', c.missing,
                               'ce', m.ce, 'cnp', m.cnp),
                   'query', 'fabscope query DB coverage') AS evidence
  FROM c, m, a
 WHERE NOT EXISTS (SELECT 1 FROM finding
                    WHERE severity IN ('critical', 'warning'))
   AND NOT EXISTS (SELECT 1 FROM incident WHERE kind LIKE 'hidden_%')
   AND NOT EXISTS (SELECT 1 FROM recovery /*scan*/
                    WHERE rule = 'U14' AND cause = 'collateral'
                      AND trigger IN ('timeout', 'implied_nak'))
   AND NOT EXISTS (SELECT 1 FROM tss)
   AND c.connected > 0
   AND c.both >= :both * c.connected
   AND c.flows_both >= :both * c.connected_flows
   AND ifnull(c.missing, 0) <= :missing * ifnull(c.expected, 0)
   AND ifnull(c.unresolved, 0) = 0
   AND ifnull(c.sprayed, 0) = 0
