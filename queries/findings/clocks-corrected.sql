-- Were clocks of taps wrong?
-- needs clock
SELECT 'info' AS severity, 0.99 AS confidence,
       'The clock of ' || t.name || ' was '
         || human_ns(abs(c.offset_ns))
         || CASE WHEN c.offset_ns > 0 THEN ' ahead of' ELSE ' behind' END
         || ' that of ' || r.name || ', and was corrected' AS title,
       'Derived from ' || plural(c.packets, 'packet') || ' that both saw, '
         || 'within '
         || ifnull(human_ns(c.error_ns), 'an unknown error')
         || '; it runs ' || printf('%.3f', abs(c.drift_ppb) / 1e3)
         || ' us per second too ' || iif(c.drift_ppb < 0, 'slow', 'fast')
         || '. '
         || CASE WHEN (SELECT max(part) FROM clock WHERE tap_id = c.tap_id) > 1
                 THEN 'It was set, or runs unevenly: '
                      || (SELECT max(part) FROM clock WHERE tap_id = c.tap_id)
                      || ' corrections. ' ELSE '' END
         || 'Times are those of tap ' || r.name || '.' AS detail,
       'Synchronize the clocks of the capturing hosts (PTP, NTP).' AS action,
       c.tap_id,
       json_object('numbers',
                   json_object('offset_ns', c.offset_ns, 'error_ns',
                               c.error_ns, 'drift_ppb', c.drift_ppb),
                   'query', 'fabscope query DB clocks') AS evidence
  FROM clock c /*scan*/
  JOIN tap t ON t.id = c.tap_id
  JOIN tap r ON r.id = c.reference_tap_id
 WHERE c.applied AND c.part = 1
