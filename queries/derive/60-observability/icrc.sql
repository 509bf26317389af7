-- Is corruption observable by the checksum: RoCE's invariant CRC, Ultra Ethernet's CRC?
-- What is encrypted has none that can be checked without its key.  The checksums
-- of one transport prove nothing of the other's.
--
-- into observability
WITH kind AS MATERIALIZED (
  SELECT tap_id, transport LIKE 'UET-%' AS uet, sum(crc_good) AS good,
         sum(crc_bad) AS bad
    FROM flow_sum /*scan*/
   GROUP BY 1, 2),
t AS (
  SELECT id, nic_sniffer, packets_uet, crc_good AS good, crc_bad AS bad,
         crc_unchecked AS unchecked,
         (SELECT CASE WHEN k.uet THEN 'Ultra Ethernet' ELSE 'RoCE' END
            FROM kind k
            JOIN kind other ON other.tap_id = k.tap_id AND other.uet <> k.uet
           WHERE k.tap_id = tap.id AND k.bad > 0 AND k.bad >= k.good
             AND other.good > other.bad) AS wrong
    FROM tap JOIN coverage c ON c.tap_id = tap.id),
-- One text for all capture points with packets that are truncated.
share AS (
  SELECT human_share(min(part)) AS least, human_share(max(part)) AS most
    FROM (SELECT 1.0 * (good + bad) / (good + bad + unchecked) AS part
            FROM t WHERE unchecked > 0 AND good + bad > 0))
SELECT id AS tap_id, 'icrc' AS what,
       CASE WHEN nic_sniffer THEN 'no'
            WHEN wrong IS NOT NULL THEN 'partial'
            WHEN bad > 0 AND bad >= good THEN 'no'
            WHEN good + bad = 0 THEN 'no'
            WHEN unchecked > 0 THEN 'partial' ELSE 'yes' END AS verdict,
       CASE WHEN nic_sniffer
            THEN 'a NIC sniffer changed the packets'
            WHEN wrong IS NOT NULL
            THEN 'nearly every checksum of ' || wrong || ' is wrong: the capture '
                 || 'path rewrites these packets; the others are right'
            WHEN bad > 0 AND bad >= good
            THEN 'nearly every ICRC is wrong: the capture path rewrites the '
                 || 'packets'
            WHEN good + bad = 0 AND unchecked > 0
            THEN 'the packets are truncated (snaplen)'
                 || CASE WHEN packets_uet > 0
                         THEN ', or their sender leaves out the CRC'
                         ELSE '' END
            WHEN good + bad = 0 AND packets_uet > 0
            THEN 'the packets are encrypted (TSS)'
            WHEN good + bad = 0
            THEN 'there is neither a RoCE nor an Ultra Ethernet packet'
            WHEN unchecked > 0
            THEN 'checked on ' || least || iif(most = least, '', ' to ' || most)
                 || ' of the packets; the others are truncated'
                 || CASE WHEN packets_uet > 0
                         THEN ' (snaplen), trimmed or encrypted'
                         ELSE ' (snaplen)' END
            ELSE 'checked on every packet' END AS why
  FROM t JOIN share
