-- What are the key performance indicators of the BMWG draft?
-- In the order of the draft (draft-calabria-bmwg-ai-fabric-training-bench):
-- its tables of KPIs, then what the reports of its tests ask for.
--
-- param section text NULL  only those of this section, "4.1"
-- column section text  of the draft
-- column title text  what the section is about
-- column name text  as in the draft
-- column value real  NULL when it cannot be computed
-- column unit text  of the value
-- column class text  what it needs: 1T, NT, TEL, EXT, NO
-- column confidence share  confidence, 0..1
-- column missing text  what would be needed where value is NULL
-- column note text  what the value rests on
-- column samples count  of how many packets, flows, ... it was made
--
-- example fabscope query DB kpis --param section=4.2
WITH about(section, title) AS (
  VALUES ('4.1', 'Primary KPIs'), ('4.2', 'Secondary KPIs'),
         ('4.3', 'Fabric health'), ('5.1', 'Baseline throughput'),
         ('5.2', 'Latency'), ('5.3', 'Burst absorption'),
         ('6.1', 'UET throughput by service'), ('6.2', 'UET latency'),
         ('6.3', 'Packet spray under UET'), ('6.4', 'UET congestion control'),
         ('6.5', 'Link-layer enhancements'), ('6.6', 'UET collectives'),
         ('6.7', 'PDC scalability'), ('7.1', 'ECN marking'),
         ('7.2', 'PFC under incast'), ('7.3', 'DCQCN convergence'),
         ('7.4', 'PFC storms and deadlocks'), ('8.1', 'ECMP'),
         ('8.2', 'Dynamic load balancing'), ('8.3', 'Packet spraying'),
         ('8.4', 'Fairness by strategy'), ('9.1', 'AllReduce'),
         ('9.2', 'AlltoAll'), ('9.3', 'AllGather'),
         ('9.4', 'Collectives, summary'), ('10.1', 'Synthetic JCT'),
         ('10.2', 'MLPerf-aligned JCT'), ('10.3', 'Several jobs'),
         ('11.1', 'Scale'), ('11.2', 'Link failure'),
         ('11.3', 'Zero-impact failover'), ('12.1', 'A day of load'),
         ('12.2', 'Resource leaks'), ('13.7', 'Repeatability'))
SELECT k.section, a.title, k.name, k.value, k.unit, k.class, k.confidence,
       k.missing, k.note, k.samples
  FROM kpi k /*scan*/
  LEFT JOIN about a ON a.section = k.section
 WHERE :section IS NULL OR k.section = :section
 ORDER BY CAST(k.section AS REAL), k.place, k.name
