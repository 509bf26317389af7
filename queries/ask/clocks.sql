-- How far apart are the clocks of the taps, and how do they drift?
-- From packets that several of them saw.  Needs two taps.  In a time window: the
-- stretches that reach into it, and how far a clock was ahead in the middle of
-- what they have of it.
--
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- column tap text  whose clock
-- column part count  stretch of the capture, from 1
-- column reference text  tap whose clock is taken as right
-- column method text  reference, file, two-way, one-way, none
-- column from_ns time  begin of the stretch
-- column offset_ns duration  ahead of the reference; negative: behind it
-- column error_ns duration  not further off than this; NULL: not known
-- column drift_ppm real  gains so many us a second
-- column drift_low_ppm real  the least that fits
-- column drift_high_ppm real  the greatest
-- column packets count  that it rests on
-- column corrected flag  its times were corrected by this
-- column why text  in words
--
-- example fabscope query DB clocks
WITH stretch AS (
  SELECT c.*, ifnull(c.from_ns - ifnull(c.offset_ns, 0), t.first_ns) AS begins,
         ifnull(lead(c.from_ns - ifnull(c.offset_ns, 0))
                  OVER (PARTITION BY c.tap_id ORDER BY c.part), t.last_ns)
           AS ends
    FROM clock c /*scan*/
    JOIN tap t ON t.id = c.tap_id),
then_there AS (
  SELECT *, (max(ifnull(:from, begins), begins)
             + (min(ifnull(:to, ends), ends)
                - max(ifnull(:from, begins), begins)) / 2) AS middle
    FROM stretch
   WHERE (:from IS NULL OR ifnull(ends, :from) >= :from)
     AND (:to IS NULL OR ifnull(begins, :to) <= :to))
SELECT t.name AS tap, c.part, r.name AS reference, c.method,
       c.begins AS from_ns,
       CASE WHEN coalesce(:from, :to) IS NULL OR c.drift_ppb IS NULL
            THEN c.offset_ns
            ELSE c.offset_ns
                   + CAST(round((c.middle + c.offset_ns - c.at_ns)
                                / 1e9 * c.drift_ppb) AS INTEGER) END
         AS offset_ns,
       c.error_ns, c.drift_ppb / 1e3 AS drift_ppm,
       c.drift_low_ppb / 1e3 AS drift_low_ppm,
       c.drift_high_ppb / 1e3 AS drift_high_ppm, c.packets,
       c.applied AS corrected, c.why
  FROM then_there c
  JOIN tap t ON t.id = c.tap_id
  LEFT JOIN tap r ON r.id = c.reference_tap_id
 ORDER BY c.tap_id, c.part
