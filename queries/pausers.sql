-- Which ports asked for silence, how often and for how long?
--
-- param tap id NULL  only this tap
-- param from time NULL  only those with a pause after
-- param to time NULL  only those with a pause before
-- param limit count 1000  at most so many
-- column tap_id id  tap.id
-- column source_mac text  the port
-- column who text  the port in words
-- column priority id  0..7; NULL the whole link
-- column pauses count  intervals
-- column xoff_frames count  frames to stop
-- column xon_frames count  frames to go on
-- column refreshes count  of the former, while paused
-- column ended_by_expiry count  intervals that ended by time
-- column paused_ns duration  in all; NULL without the speed of the link
-- column share share  of the time that the tap was captured
-- column longest_ns duration  the longest
-- column seen count  packets of the priority to the port since the first
-- column passed count  of these, while they should have been held
--
-- example fabscope query DB pausers
SELECT p.tap_id, p.source_mac, p.who, p.priority, p.pauses, p.xoff_frames,
       p.xon_frames, p.refreshes, p.ended_by_expiry, p.paused_ns,
       1.0 * p.paused_ns / nullif(t.last_ns - t.first_ns, 0) AS share,
       p.longest_ns, p.seen, p.passed
  FROM pauser /*scan*/ p
  JOIN tap t ON t.id = p.tap_id
 WHERE (:tap IS NULL OR p.tap_id = :tap)
   AND (coalesce(:from, :to) IS NULL
        OR EXISTS (SELECT 1 FROM pause i /*scan*/
                    WHERE i.tap_id = p.tap_id AND i.source_mac = p.source_mac
                      AND i.priority IS p.priority
                      AND (:from IS NULL
                           OR ifnull(i.last_ns, i.first_ns) >= :from)
                      AND (:to IS NULL OR i.first_ns <= :to)))
 ORDER BY p.paused_ns DESC, p.xoff_frames DESC, p.rowid
 LIMIT :limit
