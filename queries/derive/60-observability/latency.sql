-- Can latency be measured here?
--
-- into observability
SELECT c.tap_id, 'latency' AS what,
       CASE WHEN c.packets_both > 0 OR h.timed > 0 THEN 'partial'
            ELSE 'no' END AS verdict,
       CASE WHEN c.packets_both > 0 OR h.timed > 0
            THEN 'from request to response at this capture point, without the '
                 || 'path from the requester to it'
                 || CASE WHEN c.tap_id NOT IN
                              (SELECT from_tap_id FROM segment UNION
                               SELECT to_tap_id FROM segment)
                         THEN '; one-way delay needs two capture points '
                              || 'with one clock' ELSE '' END
            WHEN h.hidden > 0 AND ifnull(c.connected_packets, 0) = 0
            THEN 'the packets are encrypted (TSS): requests and responses '
                 || 'cannot be paired'
            ELSE 'requests and their responses are not both in the capture' END AS why
  FROM coverage c
  LEFT JOIN (SELECT tap_id, sum(timed) AS timed,
                    sum(packets * (transport = 'UET-TSS')) AS hidden
               FROM flow_sum /*scan*/ GROUP BY tap_id) h
    ON h.tap_id = c.tap_id
