-- Which flows are one and the same, seen at several places of capture?
-- Only those that are not told by themselves already.
SELECT flow_id, once_id
  FROM (SELECT id AS flow_id,
               first_value(id) OVER (
                 PARTITION BY transport, src, dst, dst_qp, spdcid, dpdcid,
                              job_id, epoch
                 ORDER BY packets DESC, id) AS once_id
          FROM flow /*scan*/
         WHERE (SELECT count(DISTINCT place) FROM tap) > 1)
 WHERE flow_id <> once_id
