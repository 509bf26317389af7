-- Which waits may be for answers that this capture does not show?
-- Without the direction back nothing tells what a sender waited for.
SELECT p.job, 'ACK_WAIT|CTS_WAIT|RNR_WAIT|CREDIT_WAIT|SENDER_WAIT' AS classes,
       sum(t.time_ns) AS time_ns,
       'the ACKs of the receivers are not in the capture' AS why
  FROM phase_time t /*scan*/
  JOIN phase p ON p.id = t.phase_id
  JOIN flow f ON f.id = t.flow_id
 WHERE t.class = 'sender_wait' AND f.visibility = 'fwd' AND NOT p.cut
 GROUP BY p.job
