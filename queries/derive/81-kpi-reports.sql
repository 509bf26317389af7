-- Which KPIs of the tables do the reports of single tests ask for again?
-- Only where the traffic is what the test is about, and of UET all of it.  Sorted, so that all is
-- read before the first row is written.
--
-- into kpi
WITH want(section, place, name, source, of) AS (
  VALUES
  ('5.1', 1, 'Aggregate throughput', 'Aggregate Throughput', NULL),
  ('5.2', 5, 'One-way latency, P99', 'Tail Latency P99', NULL),
  ('5.2', 6, 'One-way latency, P99.9', 'Tail Latency P99.9', NULL),
  ('6.3', 1, 'MMR under UET', 'ECMP Imbalance (MMR)', 'UET'),
  ('6.3', 2, 'JFI under UET', 'Jain Fairness Index (JFI)', 'UET'),
  ('6.4', 1, 'Throughput under UET', 'Aggregate Throughput', 'UET'),
  ('6.4', 2, 'Convergence time under UET', 'Congestion Control Convergence',
   'UET'),
  ('6.4', 3, 'Queue depth under UET, peak', 'Queue Depth Max', 'UET'),
  ('6.4', 4, 'PFC events under UET', 'PFC Pause Count', 'UET'),
  ('6.4', 5, 'Drop rate under UET', 'Packet Drop Rate', 'UET'),
  ('7.1', 2, 'Marking ratio', 'ECN marking ratio of ECN-capable data', NULL),
  ('7.2', 1, 'PAUSE frames per second', 'PFC Pause Count', NULL),
  ('7.2', 2, 'PAUSE duration', 'PFC Pause Duration', NULL),
  ('7.2', 5, 'End-to-end throughput', 'Aggregate Throughput', NULL),
  ('7.3', 1, 'DCQCN convergence time', 'Congestion Control Convergence',
   'RoCE'),
  ('8.1', 3, 'MMR, ECMP', 'ECMP Imbalance (MMR)', 'ecmp'),
  ('8.2', 1, 'MMR, DLB', 'ECMP Imbalance (MMR)', 'flowlet'),
  ('8.2', 2, 'Out-of-order rate, DLB', 'Out-of-Order Packet Rate', 'flowlet'),
  ('8.3', 3, 'Out-of-order rate, spray', 'Out-of-Order Packet Rate', 'spray'),
  ('8.3', 4, 'Retransmissions, spray', 'RDMA Retransmission Rate', 'spray'),
  ('10.1', 1, 'Synthetic JCT ratio', 'JCT Ratio', NULL)),
there(of) AS (
  SELECT DISTINCT mode FROM balance WHERE mode IS NOT NULL
  UNION ALL
  SELECT 'UET' WHERE EXISTS (SELECT 1 FROM tap WHERE packets_uet > 0)
                 AND NOT EXISTS (SELECT 1 FROM tap WHERE packets_roce > 0)
  UNION ALL
  SELECT 'RoCE' WHERE EXISTS (SELECT 1 FROM tap WHERE packets_roce > 0))
SELECT w.name, w.section, w.place,
       CASE WHEN t.of IS NOT NULL OR w.of IS NULL THEN k.value END AS value,
       k.unit, k.class, k.confidence,
       CASE WHEN t.of IS NOT NULL OR w.of IS NULL THEN k.missing
            WHEN w.of = 'UET' THEN 'UET traffic, and no RoCE beside it'
            WHEN w.of = 'RoCE' THEN 'RoCE traffic'
            ELSE 'traffic balanced by '
                 || CASE w.of WHEN 'spray' THEN 'packet spray'
                              WHEN 'ecmp' THEN 'ECMP' ELSE 'flowlets' END
                 || ', and taps at all parallel links' END AS missing,
       'the same as "' || w.source || '"' AS note, k.samples
  FROM want w
  JOIN kpi k ON k.name = w.source
  LEFT JOIN there t ON t.of = w.of
 ORDER BY w.section, w.place
