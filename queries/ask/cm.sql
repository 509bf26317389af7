-- Who connected to whom (RDMA-CM)?
--
-- param message text NULL  only REQ, REP, RTU, REJ, DREQ, ...
-- param limit count 1000  maximum number of rows
-- column ns time  when
-- column tap_id id  tap.id
-- column frame id  frame number in the file of the tap
-- column src text  sender
-- column dst text  receiver
-- column message text  which
-- column local_comm_id hex  the sender's name for the connection
-- column remote_comm_id hex  the receiver's
-- column qpn hex  queue pair
-- column psn id  first PSN
-- column service_id text  service
-- column reason count  REJ only
--
-- example fabscope query DB cm --param message=REQ
SELECT ns, tap_id, frame, src, dst, message, local_comm_id, remote_comm_id,
       qpn, psn, service_id, reason
  FROM cm /*scan*/
 WHERE :message IS NULL OR message = :message
 ORDER BY ns, id
 LIMIT :limit
