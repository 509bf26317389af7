-- By what are the packets of a flow and of its other direction known?
--
-- param id id required  flow.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair they are sent to; UET: PDC id or job + 1 << 24
-- column from_ns time  first packet
-- column to_ns time  last packet
SELECT src, dst,
       ifnull(dst_qp, (1 << 24) + ifnull(spdcid, ifnull(job_id, 0)))
         AS dst_qp, first_ns AS from_ns, last_ns AS to_ns
  FROM flow
 WHERE id = :id
    OR id = (SELECT peer_flow_id FROM flow WHERE id = :id)
