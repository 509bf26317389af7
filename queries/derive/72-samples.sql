-- What switches report to have dropped, against the packets.
--
-- needs evidence_source

-- Flows that would show a loss: both directions, of what is retransmitted, where no
-- copy is missing.  A mirror that loses copies may have lost those of the
-- retransmission.
CREATE TEMP TABLE telling(flow_id INTEGER PRIMARY KEY);
INSERT INTO temp.telling
SELECT id FROM flow /*scan*/
 WHERE EXISTS (SELECT 1 FROM sampled WHERE dropped)
   AND visibility = 'both' AND transport NOT IN ('UC', 'UD', 'UET-UUD')
   AND tap_id NOT IN
       (SELECT tap_id FROM flow /*scan*/ WHERE capture_missing > 0
        UNION ALL SELECT id FROM tap WHERE dropped_reported > 0
                                        OR mirror_seq_lost > 0);
CREATE TEMP TABLE of_flow AS
SELECT f.src, f.dst, f.dst_qp, min(f.id) AS flow_id, min(f.first_ns) AS first_ns,
       max(f.last_ns) AS last_ns,
       min(f.id IN (SELECT flow_id FROM temp.telling)) AS telling,
       total(f.retransmitted) AS retransmitted,
       max(total(f.lost_upstream) + total(f.lost_downstream_max),
           total(f.retransmitted)) AS lost
  FROM flow f /*scan*/
 WHERE f.dst_qp IN (SELECT dst_qp FROM sampled)
 GROUP BY f.src, f.dst, f.dst_qp;
CREATE INDEX temp.of_flow_by ON of_flow(dst_qp, src, dst);
UPDATE sampled SET flow_id = NULL, lost = NULL,
                   verdict = CASE WHEN dropped THEN 'unused' END;
-- What is reported is on its way for a while.  A loss shows when the flow goes on
-- behind it: its last packets may be lost without a trace, and those of a window are
-- on their way meanwhile.
UPDATE sampled AS s
   SET flow_id = o.flow_id, lost = CASE WHEN s.dropped THEN o.lost END,
       verdict = CASE WHEN NOT s.dropped THEN NULL
                      WHEN s.last_ns < o.first_ns
                           OR s.first_ns > o.last_ns + 2000000000
                      THEN 'unused'
                      WHEN o.lost > 0 THEN 'explains'
                      WHEN o.telling AND o.last_ns > s.first_ns + 1000000
                      THEN 'contradicts' ELSE 'unused' END
  FROM temp.of_flow o
 WHERE o.dst_qp = s.dst_qp AND o.src = s.src AND o.dst = s.dst;
-- Who names no queue pair names the hosts; what a flow lost, it lost at any time of it.
CREATE TEMP TABLE of_pair AS
SELECT src, dst, min(id) AS flow_id, min(first_ns) AS first_ns,
       max(last_ns) AS last_ns,
       min(id IN (SELECT flow_id FROM temp.telling)) AS telling,
       total(max(ifnull(lost_upstream, 0) + ifnull(lost_downstream_max, 0),
                 ifnull(retransmitted, 0))) AS lost
  FROM flow /*scan*/
 WHERE dst IN (SELECT dst FROM sampled WHERE dst_qp IS NULL)
 GROUP BY src, dst;
CREATE INDEX temp.of_pair_by ON of_pair(dst, src);
UPDATE sampled AS s
   SET flow_id = o.flow_id, lost = o.lost,
       verdict = CASE WHEN s.last_ns < o.first_ns
                           OR s.first_ns > o.last_ns + 2000000000
                      THEN 'unused'
                      WHEN o.lost > 0 THEN 'explains'
                      WHEN o.telling AND o.last_ns > s.last_ns + 1000000
                      THEN 'contradicts' ELSE 'unused' END
  FROM temp.of_pair o
 WHERE s.dst_qp IS NULL AND s.dropped AND o.src = s.src AND o.dst = s.dst;
DROP TABLE temp.of_pair;
DROP TABLE temp.of_flow;
DROP TABLE temp.telling;
