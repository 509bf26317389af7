-- Is the checksum (ICRC, CRC of UET) wrong on nearly every packet?
-- Then something rewrites packets for the capture, or the capture is not what
-- was on the wire; it is no damage.
SELECT 'info' AS severity, 0.9 AS confidence,
       'Packet checksums (ICRC) cannot be used on '
         || plural(count(*), 'tap') AS title,
       human_count(sum(crc_bad)) || ' of '
         || human_count(sum(crc_bad + crc_good))
         || ' checked packets have a wrong ICRC. So many are not damage: the '
         || 'capturing device rewrites fields, or cuts and pads packets.'
         AS detail,
       'No damage on the wire can be told from this capture.' AS action,
       CASE WHEN count(*) = 1 THEN max(tap_id) END AS tap_id,
       json_object('numbers', json_object('icrc_bad', sum(crc_bad),
                                          'icrc_good', sum(crc_good)),
                   'query', 'fabscope query DB taps') AS evidence
  FROM coverage
 WHERE crc_bad > 0 AND crc_bad >= crc_good
HAVING count(*) > 0
