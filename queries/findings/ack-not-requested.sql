-- Do senders wait for ACKs that they did not request?
-- Rule R11: all had arrived and was acknowledged as soon as it came once more,
-- and nothing that was outstanding requested an ACK (AckReq) or ended a message.
-- uses flow-once
-- needs recovery
SELECT 'warning' AS severity, max(r.confidence) AS confidence,
       'RTO expired ' || times(count(*)) || ' without an ACK to wait for'
         AS title,
       plural(sum(r.retransmitted_packets), 'packet') || ' of '
         || plural(count(DISTINCT k.counted_id), 'flow')
         || iif(count(DISTINCT f.src) <= 4,
                ' from ' || replace(group_concat(DISTINCT f.src), ',', ', '), '')
         || ' had arrived and were retransmitted after '
         || human_ns(min(r.idle_ns)) || ' to ' || human_ns(max(r.idle_ns))
         || '. None of the outstanding packets requested an ACK (AckReq) or '
         || 'ended a message, so none was due: nothing was lost or late.'
         AS detail,
       'Look at the NICs of these senders: they may have fewer packets '
         || 'outstanding than from one AckReq to the next.' AS action,
       min(r.first_ns) AS first_ns, max(r.last_ns) AS last_ns,
       json_object('numbers', json_object('timeouts', count(*),
                                          'retransmitted_packets',
                                          sum(r.retransmitted_packets)),
                   'query', 'fabscope query DB recoveries --param '
                     || 'cause=collateral --param trigger=timeout')
         AS evidence
  FROM recovery r /*scan*/
  JOIN flow_once k ON k.flow_id = r.flow_id AND k.counted_id = r.flow_id
  JOIN flow f ON f.id = r.flow_id
 WHERE r.cause = 'collateral' AND r.trigger = 'timeout'
   AND r.remaining = hypothesis_bit('ack_not_requested')
HAVING count(*) > 0
