-- Which flows are one and the same, seen at several places of capture?
-- For whoever adds flows up: group by once_id, and none counts twice.
--
-- column flow_id id  flow.id
-- column once_id id  of all that are this flow, the one with most packets
--
-- example fabscope query DB flow-once
SELECT id AS flow_id, id AS once_id
  FROM flow /*scan*/
 WHERE (SELECT count(DISTINCT place) FROM tap) <= 1
UNION ALL
SELECT id, first_value(id) OVER (
             PARTITION BY transport, src, dst, dst_qp, spdcid, dpdcid, job_id,
                          epoch
             ORDER BY packets DESC, id)
  FROM flow /*scan*/
 WHERE (SELECT count(DISTINCT place) FROM tap) > 1
