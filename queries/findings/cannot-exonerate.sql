-- Was nothing found, but too little seen to clear the network?
-- param both share 0.9  of packets and flows both directions must be visible
-- param missing share 0.001  the capture may miss so much
-- last
WITH c AS (
  SELECT sum(packets) AS packets, sum(connected_packets) AS connected,
         sum(packets_both) AS both, sum(checked) AS expected,
         sum(connected_flows) AS connected_flows, sum(flows_both) AS flows_both,
         sum(capture_missing) AS missing, sum(unresolved) AS unresolved,
         sum(flows_sprayed) AS sprayed
    FROM coverage),
hidden(n) AS (SELECT ifnull(sum(packets), 0) FROM tss /*scan*/),
why(reason) AS (
  SELECT 'no transport that acknowledges (RC, XRC, RUD, ROD) is in the '
         || 'capture' FROM c, hidden
   WHERE ifnull(connected, 0) = 0 AND packets > n
  UNION ALL
  SELECT 'both directions are visible of only '
         || human_share(1.0 * both / connected) || ' of the packets'
    FROM c WHERE both < :both * connected
  UNION ALL
  SELECT 'both directions are visible of only ' || flows_both || ' of '
         || plural(connected_flows, 'flow') FROM c
   WHERE both >= :both * connected AND flows_both < :both * connected_flows
  UNION ALL
  SELECT 'the capture misses ' || human_share(1.0 * missing / expected)
         || ' of the packets' FROM c WHERE missing > :missing * expected
  UNION ALL
  SELECT plural(unresolved, 'gap') || ' cannot be explained' FROM c
   WHERE unresolved > 0
  UNION ALL
  SELECT plural(n, 'packet') || ' were sent again, and the capture misses '
         || 'so much that it cannot show why'
    FROM (SELECT sum(resent_packets) AS n FROM incident
           WHERE kind LIKE 'hidden_%') WHERE n > 0
  UNION ALL
  SELECT plural(n, 'packet') || ' were sent again that had arrived, and '
         || 'nobody asked for them: their answers may have been lost'
    FROM (SELECT sum(resent_packets) AS n FROM recovery /*scan*/
           WHERE rule = 'U14' AND cause = 'collateral'
             AND trigger IN ('timeout', 'implied_nak')) WHERE n > 0
  UNION ALL
  SELECT plural(n, 'packet') || ' of Ultra Ethernet are encrypted (TSS): what '
         || 'became of them cannot be seen'
    FROM hidden WHERE n > 0
  UNION ALL
  SELECT plural(sprayed, 'flow') || ' also use links that are not in the '
         || 'capture' FROM c WHERE sprayed > 0)
SELECT 'info' AS severity, 0.9 AS confidence,
       CASE WHEN EXISTS (SELECT 1 FROM incident)
            THEN 'Too little is visible to clear the network'
            ELSE 'Nothing wrong was seen, but too little is visible to clear '
                 || 'the network' END AS title,
       'Reasons: ' || (SELECT group_concat(reason, '; ') FROM why) || '.'
         AS detail,
       CASE WHEN c.packets > n
            THEN 'Capture at a host''s link, where both directions pass, and '
                 || 'without drops.'
            ELSE 'Look at the counters of the NICs: of what is encrypted only '
                 || 'its ends can tell.' END AS action,
       json_object('query', 'fabscope query DB coverage') AS evidence
  FROM c, hidden
 WHERE c.packets > 0
   AND EXISTS (SELECT 1 FROM why)
   AND NOT EXISTS (SELECT 1 FROM finding
                    WHERE severity IN ('critical', 'warning'))
