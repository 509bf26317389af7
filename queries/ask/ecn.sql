-- Which flows carried ECN CE marks or received CNPs?
-- Before reading 0 as "none", see what observability says of ce and cnp.  The
-- share is that of data packets: answers would dilute it.  Of a part of the life
-- of a flow it is not known.
--
-- param once flag NULL  1: one row for a flow that several taps saw, of the tap that saw most marks
-- param job count NULL  only this job (Ultra Ethernet)
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 100  maximum number of rows
-- column id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column packets count  packets
-- column ect count  ECN-capable packets (ECT)
-- column ce count  packets that are marked
-- column ce_share share  of the ECN-capable data packets
-- column not_ect_data count  data packets that are not ECN-capable
-- column cnp count  CNPs that the sender of this flow received
-- column spdcid hex16  PDC id of the sender (Ultra Ethernet)
--
-- uses flow-in-window
-- uses flow-once
-- example fabscope query DB ecn --param limit=20
WITH best AS (
  SELECT flow_id, row_number() OVER (
           PARTITION BY counted_id
               ORDER BY ce DESC, cnp DESC, packets DESC, flow_id) AS nth
    FROM flow_in_window JOIN flow_once ON flow_id = id
   WHERE :once)
SELECT id, src, dst, dst_qp, packets, ect, ce,
       1.0 * ce_data / nullif(ect_data + ce_data, 0) AS ce_share,
       not_ect_data, cnp, spdcid
  FROM flow_in_window
 WHERE (ifnull(ce, 1) > 0 OR ifnull(cnp, 1) > 0)
   AND (NOT ifnull(:once, 0)
        OR id IN (SELECT flow_id FROM best WHERE nth = 1))
   AND (:job IS NULL OR job_id = :job)
 ORDER BY ce DESC, cnp DESC, id
 LIMIT :limit
