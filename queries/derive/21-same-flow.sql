-- Which flows are one and the same, seen at several capture points?
-- Table trail knows, by their packets.  It does not where packets have no
-- identity (cut headers) and beyond so many ways and places: there, the same
-- name at the same time is the same flow.  Pieces of a capture that follow each
-- other are not.
--
-- into same_flow
WITH named AS MATERIALIZED (
  SELECT f.id, f.packets, w.tap_path_id, f.transport, f.src, f.dst, f.dst_qp,
         f.spdcid, f.dpdcid, f.job_id, f.epoch, f.first_ns, f.last_ns
    FROM (SELECT count(DISTINCT place) AS places FROM tap HAVING places > 1)
   CROSS JOIN flow f /*scan*/
    LEFT JOIN tap_path w ON w.flow_id = f.id),
begun AS (
  SELECT *, ifnull(first_ns > max(last_ns) OVER (
                     same ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
              AS later
    FROM named
  WINDOW same AS (PARTITION BY transport, src, dst, dst_qp, spdcid, dpdcid,
                               job_id, epoch ORDER BY first_ns, id)),
timed AS (
  SELECT *, sum(later) OVER same AS nth
    FROM begun
  WINDOW same AS (PARTITION BY transport, src, dst, dst_qp, spdcid, dpdcid,
                               job_id, epoch ORDER BY first_ns, id)),
known AS (
  SELECT id, packets, ifnull(tap_path_id, min(tap_path_id) OVER same) AS tap_path_id,
         min(id) OVER same AS first_id
    FROM timed
  WINDOW same AS (PARTITION BY transport, src, dst, dst_qp, spdcid, dpdcid,
                               job_id, epoch, nth))
SELECT flow_id, counted_id
  FROM (SELECT id AS flow_id,
               first_value(id) OVER (
                 PARTITION BY tap_path_id, iif(tap_path_id IS NULL, first_id, NULL)
                 ORDER BY packets DESC, id) AS counted_id
          FROM known)
 WHERE flow_id <> counted_id
