-- Could a capture not keep up with its traffic?
-- The first packets of all flows are there, and then many are missing in all of
-- them, while no receiver sends a NAK.
SELECT 'warning' AS severity, 0.85 AS confidence,
       'The capture overran at '
         || CASE count(*) WHEN 1 THEN 'tap ' || ifnull(max(name), max(id))
                          ELSE plural(count(*), 'tap') END
         || ': complete at first, then many packets are missing' AS title,
       'PSNs are missing in all flows at once, and no receiver sent a NAK: the '
         || 'packets were delivered and not captured. Typical of a full '
         || 'capture buffer.' AS detail,
       'Give the capturing host a larger buffer (tcpdump -B), a faster disk or '
         || 'less to capture (a filter, a shorter snaplen).' AS action,
       CASE count(*) WHEN 1 THEN max(id) END AS tap_id,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('query', 'fabscope query DB taps') AS evidence
  FROM tap
 WHERE overrun
HAVING count(*) > 0
