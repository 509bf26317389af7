-- 5.2 What is the latency?
-- One-way delay needs two capture points; from one, round trips and completions.
--
-- into kpi
WITH r AS (
  SELECT min(rtt) AS rtt, sum(rtts) AS n_rtt,
         sum(latency) / nullif(sum(timed), 0) AS mean, min(least) AS least,
         max(most) AS most, sum(timed) AS n
    FROM flow_sum /*scan*/)
SELECT 'Round trip to receivers, min' AS name, '5.2' AS section, 20 AS place,
       rtt / 1e3 AS value, 'us' AS unit, '1T' AS class, 0.8 AS confidence,
       'both directions of flows' AS missing,
       'from this point to the receiver and back, its answering included'
         AS note, n_rtt AS samples
  FROM r
UNION ALL
SELECT 'Message completion, min', '5.2', 21, least / 1e3, 'us', '1T', 0.8,
       'both directions of flows',
       'first packet to ACK, at this capture point', n FROM r
UNION ALL
SELECT 'Message completion, mean', '5.2', 22, mean / 1e3, 'us', '1T', 0.8,
       'both directions of flows', NULL, n FROM r
UNION ALL
SELECT 'Message completion, max', '5.2', 23, most / 1e3, 'us', '1T', 0.8,
       'both directions of flows', NULL, n FROM r
UNION ALL
SELECT 'Latency increase factor', '5.2', 30, NULL, 'ratio', 'NT', NULL,
       'a second result without load, and fabscope diff', NULL, NULL
