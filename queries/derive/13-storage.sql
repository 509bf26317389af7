-- Which flows carry storage?  Those of connections that RDMA-CM set up to a port
-- that IANA gives to a storage protocol: nothing else in the packets of a queue
-- pair says so.
-- needs cm
CREATE TEMP TABLE storage_port(service_id TEXT PRIMARY KEY, protocol TEXT);
-- RDMA_PS_TCP (0x0106) and the port: 4420, 8009 and 20049.
INSERT INTO temp.storage_port VALUES
  ('0x0000000001061144', 'NVMe over RDMA'),
  ('0x0000000001061f49', 'NVMe over RDMA'),
  ('0x0000000001064e51', 'NFS over RDMA');
CREATE TEMP TABLE storage_request AS
SELECT c.src, c.dst, c.qpn, c.local_comm_id, p.protocol, min(c.ns) AS ns
  FROM cm c /*scan*/
  JOIN temp.storage_port p ON p.service_id = c.service_id
 WHERE c.message = 'REQ'
 GROUP BY c.src, c.dst, c.qpn, c.local_comm_id;
CREATE INDEX temp.storage_request_by ON storage_request(dst, src, local_comm_id);
-- Both directions: what the target sends goes to the queue pair of the request,
-- what it receives to that of its reply.
CREATE TEMP TABLE storage_end AS
SELECT dst AS src, src AS dst, qpn AS dst_qp, protocol, dst AS target, ns
  FROM temp.storage_request
UNION ALL
SELECT r.src, r.dst, c.qpn, r.protocol, r.dst, r.ns
  FROM cm c /*scan*/
  JOIN temp.storage_request r ON r.dst = c.src AND r.src = c.dst
                             AND r.local_comm_id = c.remote_comm_id
 WHERE c.message = 'REP';
CREATE INDEX temp.storage_end_by ON storage_end(src, dst, dst_qp);
INSERT OR IGNORE INTO storage_flow(flow_id, protocol, target)
SELECT f.id, e.protocol, e.target
  FROM flow f /*scan*/
  JOIN temp.storage_end e ON e.src = f.src AND e.dst = f.dst
                         AND e.dst_qp = f.dst_qp
 WHERE f.first_ns >= e.ns AND f.pairing = 'cm';
DROP TABLE temp.storage_end;
DROP TABLE temp.storage_request;
DROP TABLE temp.storage_port;
