-- By what are the packets of a flow and of its other direction known?
--
-- param id id required  flow.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair the packets are sent to
-- column from_ns time  first packet
-- column to_ns time  last packet
SELECT src, dst, dst_qp, first_ns AS from_ns, last_ns AS to_ns
  FROM flow
 WHERE id = :id
    OR id = (SELECT peer_flow_id FROM flow WHERE id = :id)
