-- How long do acknowledgements and clear-to-send take?
WITH m AS (
  SELECT median(rtt_receiver_ns) AS ns, count(rtt_receiver_ns) AS n
    FROM flow /*scan*/)
SELECT 'ACK Delay' AS name, '4.2' AS section, 12 AS place, ns / 1e3 AS value,
       'us' AS unit, '1T' AS class, 0.7 AS confidence,
       'both directions of flows: the reverse path is not visible' AS missing,
       'from a packet to its acknowledgement as both pass this point: the '
         || 'shortest of each flow, median over ' || plural(n, 'flow') AS note,
       n AS samples
  FROM m
UNION ALL
SELECT 'CTS Delay', '4.2', 13, NULL, 'us', '1T', NULL,
       'clear-to-send writes of the receiver told apart (NCCL, both '
         || 'directions)', NULL, NULL
