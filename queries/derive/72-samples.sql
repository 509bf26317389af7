-- What switches report to have dropped, against the packets.
--
-- needs evidence_source

CREATE TEMP TABLE of_flow AS
SELECT f.src, f.dst, f.dst_qp, min(f.id) AS flow_id, min(f.first_ns) AS first_ns,
       max(f.last_ns) AS last_ns, min(f.visibility = 'both') AS both,
       total(f.retransmitted) AS retransmitted,
       max(total(f.lost_upstream) + total(f.lost_downstream_max),
           total(f.retransmitted)) AS lost
  FROM flow f /*scan*/
 WHERE f.dst_qp IN (SELECT dst_qp FROM sampled)
 GROUP BY f.src, f.dst, f.dst_qp;
CREATE INDEX temp.of_flow_by ON of_flow(dst_qp, src, dst);
UPDATE sampled SET flow_id = NULL, lost = NULL,
                   verdict = CASE WHEN dropped THEN 'unused' END;
-- What is reported is on its way for a while.
UPDATE sampled AS s
   SET flow_id = o.flow_id, lost = CASE WHEN s.dropped THEN o.lost END,
       verdict = CASE WHEN NOT s.dropped THEN NULL
                      WHEN s.last_ns < o.first_ns
                           OR s.first_ns > o.last_ns + 2000000000
                      THEN 'unused'
                      WHEN o.lost > 0 THEN 'explains'
                      WHEN o.both THEN 'contradicts' ELSE 'unused' END
  FROM temp.of_flow o
 WHERE o.dst_qp = s.dst_qp AND o.src = s.src AND o.dst = s.dst;
-- Who names no queue pair names the hosts.
CREATE TEMP TABLE of_pair AS
SELECT src, dst, min(id) AS flow_id, min(first_ns) AS first_ns,
       max(last_ns) AS last_ns, min(visibility = 'both') AS both,
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
                      WHEN o.both THEN 'contradicts' ELSE 'unused' END
  FROM temp.of_pair o
 WHERE s.dst_qp IS NULL AND s.dropped AND o.src = s.src AND o.dst = s.dst;
DROP TABLE temp.of_pair;
DROP TABLE temp.of_flow;
