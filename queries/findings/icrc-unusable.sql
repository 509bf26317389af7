-- Is the invariant CRC wrong on nearly every packet?
-- Then something rewrites packets for the capture, or the capture is not what
-- was on the wire; it is no damage.
SELECT 'info' AS severity, 0.9 AS confidence,
       'Packet checksums (ICRC) cannot be used on '
         || plural(count(*), 'tap') AS title,
       human_count(sum(icrc_bad)) || ' of '
         || human_count(sum(icrc_bad + icrc_good))
         || ' checked packets have a wrong ICRC. So many are not damage: the '
         || 'capturing device rewrites fields, or cuts and pads packets.'
         AS detail,
       'No damage on the wire can be told from this capture.' AS action,
       CASE WHEN count(*) = 1 THEN max(id) END AS tap_id,
       json_object('numbers', json_object('icrc_bad', sum(icrc_bad),
                                          'icrc_good', sum(icrc_good)),
                   'query', 'fabscope query DB taps') AS evidence
  FROM tap
 WHERE icrc_bad > 0 AND icrc_bad >= icrc_good
HAVING count(*) > 0
