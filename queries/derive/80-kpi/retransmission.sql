-- How many packets were retransmitted, and out of order?
-- A flow seen at several taps counts once, where it shows most.  Flows of which
-- only a part is seen here are left out: what they miss is elsewhere.
--
-- into kpi
WITH f AS (
  SELECT sum(retransmitted) AS retransmitted, sum(reordered) AS reordered,
         sum(spurious) AS spurious, sum(timeouts) AS timeouts,
         sum(naks) AS naks, sum(rnr) AS rnr, sum(expected) AS expected,
         nullif(max(last_ns) - min(first_ns), 0) AS ns,
         (SELECT sum(flows) FROM service /*scan*/
           WHERE numbered AND sprayed) AS sprayed
    FROM service /*scan*/ WHERE numbered AND NOT sprayed),
t AS (
  SELECT CASE WHEN sprayed > 0
              THEN 'all links of sprayed queue pairs'
              ELSE 'packets with PSNs' END AS missing,
         CASE WHEN sprayed > 0
              THEN '; ' || plural(sprayed, 'sprayed flow') || ' left out'
              ELSE '' END AS less
    FROM f)
SELECT 'RDMA Retransmission Rate' AS name, '4.2' AS section, 6 AS place,
       CASE WHEN expected > 0 THEN 1e9 * retransmitted / ns END AS value,
       '1/s' AS unit, '1T' AS class, 0.8 AS confidence, t.missing,
       human_count(retransmitted) || ' packets, ' || human_count(spurious)
         || ' of them spurious; NAKs ' || human_count(naks)
         || ', timeouts ' || human_count(timeouts) || ', RNR '
         || human_count(rnr) || t.less AS note, expected AS samples
  FROM f, t
UNION ALL
SELECT 'Out-of-Order Packet Rate', '4.2', 11,
       CASE WHEN expected > 0 THEN 1e9 * reordered / ns END,
       '1/s', '1T', 0.7, t.missing,
       'reordered upstream of this capture point; reordering at the host needs '
         || 'a tap at the receiver' || t.less, expected
  FROM f, t
