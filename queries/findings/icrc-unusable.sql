-- Is the checksum (ICRC, CRC of UET) wrong on nearly every packet?
-- Then something rewrites packets for the capture, or the capture is not what
-- was on the wire; it is no damage.  RoCE and Ultra Ethernet each by itself.
WITH c AS (
  SELECT id AS tap_id, icrc_bad AS crc_bad, icrc_good AS crc_good
    FROM tap /*scan*/
   UNION ALL
  SELECT tap_id, sum(crc_bad), sum(crc_good)
    FROM flow_sum /*scan*/
   WHERE transport LIKE 'UET-%' GROUP BY tap_id)
SELECT 'info' AS severity, 0.9 AS confidence,
       'ICRC not usable on '
         || plural(count(DISTINCT tap_id), 'tap') AS title,
       human_count(sum(crc_bad)) || ' of '
         || human_count(sum(crc_bad + crc_good))
         || ' checked packets have a bad ICRC. So many are not corruption: '
         || 'the capturing device rewrites fields, or cuts and pads packets.'
         AS detail,
       'Corruption is not observable in this capture.' AS action,
       CASE WHEN count(DISTINCT tap_id) = 1 THEN max(tap_id) END AS tap_id,
       json_object('numbers', json_object('icrc_bad', sum(crc_bad),
                                          'icrc_good', sum(crc_good)),
                   'query', 'fabscope query DB taps') AS evidence
  FROM c
 WHERE crc_bad > 0 AND crc_bad >= crc_good
HAVING count(*) > 0
