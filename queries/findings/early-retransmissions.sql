-- Do senders repeat what had arrived, because its answer takes too long?
-- Rule U15 (Ultra Ethernet): the timer fired, and the answer that came behind
-- the copy was that to the original, or said that it was there already.  Where
-- the same timer also retransmitted what may have been lost, the target had
-- nothing to answer: the packet that asked for the ACK was among the lost.
-- Where nothing else remains than that the ACK was slower than the timer (R11,
-- M7), and that is shorter than a few round trips, it is the sender's doing.
-- param same duration 1ms  one timer retransmits all that waits within this time
-- uses flow-once
-- needs recovery
WITH r AS (
  SELECT *, remaining = hypothesis_bit('spurious_timer') AS known,
         max(iif(cause = 'collateral', 0, ifnull(lost_max, 0)))
              OVER (PARTITION BY flow_id ORDER BY retransmit_ns
                    RANGE BETWEEN :same PRECEDING AND :same FOLLOWING)
              AS lost_with
    FROM recovery /*scan*/ WHERE trigger = 'timeout')
SELECT iif(max(r.known), 'warning', 'info') AS severity,
       iif(max(r.known), max(r.confidence), 0.8) AS confidence,
       'RTO expired ' || times(count(*)) || ' before the ACK arrived'
         AS title,
       plural(sum(r.retransmitted_packets), 'packet') || ' of '
         || plural(count(DISTINCT k.counted_id), 'flow')
         || iif(count(DISTINCT f.src) <= 4,
                ' from ' || replace(group_concat(DISTINCT f.src), ',', ', '), '')
         || ' had arrived and were retransmitted after '
         || human_ns(min(r.idle_ns)) || ' to ' || human_ns(max(r.idle_ns))
         || ' without an ACK. Nothing was lost: the target takes longer to '
         || 'acknowledge than the RTO of its sender.' AS detail,
       'Look at what delays the ACKs of the target (a deferred send, a slow '
         || 'application, ACK coalescing), or lengthen the RTO.'
         AS action,
       min(r.first_ns) AS first_ns, max(r.last_ns) AS last_ns,
       json_object('numbers', json_object('timeouts', count(*), 'retransmitted_packets',
                                          sum(r.retransmitted_packets)),
                   'query', 'fabscope query DB recoveries --param '
                     || 'cause=collateral --param trigger=timeout')
         AS evidence
  FROM r
  JOIN flow_once k ON k.flow_id = r.flow_id AND k.counted_id = r.flow_id
  JOIN flow f ON f.id = r.flow_id
 WHERE r.cause = 'collateral' AND (r.rule = 'U15' OR r.known)
   AND r.lost_with = 0
HAVING count(*) > 0
