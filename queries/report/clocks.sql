-- How do the clocks of the places of capture differ?
--
-- param limit count 1000  at most so many
-- column tap text  whose clock
-- column part count  stretch of the capture, where its clock was set
-- column reference text  the tap whose clock is taken as right
-- column method text  reference, file, two-way, one-way, none
-- column offset_ns duration  ahead of the reference; below 0 behind
-- column error_ns duration  not further off than this
-- column drift_ppb count  gains so many ns a second
-- column packets count  packets both saw that this rests on
-- column applied flag  its times were corrected by this
-- column why text  in words
--
-- example fabscope query DB report/clocks
SELECT t.name AS tap, c.part, r.name AS reference, c.method, c.offset_ns,
       c.error_ns, c.drift_ppb, c.packets, c.applied, c.why
  FROM clock c /*scan*/
  JOIN tap t ON t.id = c.tap_id
  LEFT JOIN tap r ON r.id = c.reference_tap_id
 ORDER BY c.tap_id, c.part
 LIMIT :limit
