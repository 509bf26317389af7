-- How do the clocks of the taps go against each other?
-- From packets that several of them saw.  Needs two taps.
--
-- column tap text  whose clock
-- column part count  stretch of the capture, from 1
-- column reference text  tap whose clock is taken as right
-- column method text  reference, file, two-way, one-way, none
-- column offset_ns duration  ahead of the reference, below 0 behind
-- column error_ns duration  not further off than this; NULL cannot be told
-- column drift_ppm real  gains so many us a second
-- column drift_low_ppm real  the least that fits
-- column drift_high_ppm real  the greatest
-- column packets count  that it rests on
-- column corrected flag  its times were corrected by this
-- column why text  in words
--
-- example fabscope query DB clocks
SELECT t.name AS tap, c.part, r.name AS reference, c.method, c.offset_ns,
       c.error_ns, c.drift_ppb / 1e3 AS drift_ppm,
       c.drift_low_ppb / 1e3 AS drift_low_ppm,
       c.drift_high_ppb / 1e3 AS drift_high_ppm, c.packets,
       c.applied AS corrected, c.why
  FROM clock c /*scan*/
  JOIN tap t ON t.id = c.tap_id
  LEFT JOIN tap r ON r.id = c.reference_tap_id
 ORDER BY c.tap_id, c.part
