-- How deep were queues, and from which depth on were packets marked?
-- From the time that packets waited in switches (IFA, INT), at the rate of the
-- port.  A row holds depths up to twice its least; a mark may be of a later switch.
--
-- param limit count 1000  maximum number of rows
-- column switch text  name, or its number
-- column port text  port out
-- column queue count  queue of the port out
-- column from_bytes bytes  least depth
-- column to_bytes bytes  most
-- column packets count  packets that met it so
-- column share share  of the packets of this queue
-- column ce share  of the packets that were marked ECN CE when they reached the capture point
-- column wmin_bytes bytes  configured: it marks from here on
-- column wmax_bytes bytes  configured: it marks most from here on
--
-- example fabscope query DB queue-depth
WITH RECURSIVE power(bytes) AS (
  VALUES(1024) UNION ALL
  SELECT bytes * 2 FROM power WHERE bytes < (1 << 40)),
octave AS (
  SELECT device_id, egress_port, queue,
         (SELECT count(*) FROM power p WHERE p.bytes <= q.bytes) AS step,
         min(bytes) AS least, max(bytes_max) AS most, sum(packets) AS packets,
         sum(ce) AS ce
    FROM queue_depth q /*scan*/
   GROUP BY device_id, egress_port, queue, step),
named AS (
  SELECT o.*, ifnull((SELECT min(name) FROM node n
                       WHERE n.device_id = o.device_id), o.device_id) AS switch,
         ifnull((SELECT min(p.name) FROM node n
                   JOIN node_port p ON p.node = n.name
                  WHERE n.device_id = o.device_id
                    AND p.port = o.egress_port), o.egress_port) AS port,
         sum(packets) OVER (PARTITION BY device_id, egress_port, queue) AS n
    FROM octave o),
threshold AS (
  SELECT ifnull(s.node, s.device) AS switch, s.port, x.number AS queue,
         max(x.value) FILTER (WHERE x.name = 'ecn_min') AS wmin,
         max(x.value) FILTER (WHERE x.name = 'ecn_max') AS wmax
    FROM setting x /*scan*/ JOIN evidence_source s ON s.id = x.source_id
   WHERE x.name IN ('ecn_min', 'ecn_max')
   GROUP BY 1, 2, 3)
SELECT d.switch, d.port, d.queue, d.least AS from_bytes, d.most AS to_bytes,
       d.packets, 1.0 * d.packets / d.n AS share,
       1.0 * d.ce / d.packets AS ce, t.wmin AS wmin_bytes, t.wmax AS wmax_bytes
  FROM named d
  LEFT JOIN threshold t ON t.switch = d.switch AND t.port = d.port
                       AND t.queue = d.queue
 ORDER BY d.switch, d.port, d.queue, d.step
 LIMIT :limit
