-- Which ports sent PFC pauses, how often and for how long?
-- In a time window: the pauses of then: their time in it, all of their frames.
-- Which packets were seen is not known of a span.
--
-- param tap id NULL  only this tap
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 1000  maximum number of rows
-- column tap_id id  tap.id
-- column source_mac text  the port
-- column port text  the port in words
-- column priority id  0..7; NULL the whole link
-- column pauses count  intervals
-- column xoff_frames count  XOFF frames
-- column xon_frames count  XON frames
-- column refreshes count  of the former, while paused
-- column ended_by_expiry count  intervals that ended by time
-- column paused_ns duration  in all; NULL without the speed of the link
-- column share share  of the time that its link was captured
-- column longest_ns duration  the longest
-- column seen count  packets of the priority to the port since the first
-- column passed count  of these, while the priority was paused
-- column full_link text  host whose link was full meanwhile: for it most was queued
--
-- example fabscope query DB pause-senders
WITH span(a, z) AS (
  SELECT ifnull(:from, min(first_ns)), ifnull(:to, max(last_ns))
    FROM capture WHERE packets > 0 AND coalesce(:from, :to) IS NOT NULL),
sender AS (
  SELECT p.tap_id, p.source_mac, p.who, p.priority, p.pauses, p.xoff_frames,
         p.xon_frames, p.refreshes, p.ended_by_expiry, p.paused_ns,
         p.captured_ns AS length, p.longest_ns, p.seen, p.passed, p.full_flow,
         p.rowid AS place
    FROM pause_sender /*scan*/ p
   WHERE coalesce(:from, :to) IS NULL
  UNION ALL
  SELECT p.tap_id, p.source_mac, p.who, p.priority, count(*),
         sum(i.xoff_frames), sum(i.xon_frames), sum(i.refreshes),
         sum(i.ended_by = 'expiry'),
         sum(min(i.last_ns, s.z) - max(i.first_ns, s.a)),
         min(t.last_ns, s.z) - max(t.first_ns, s.a),
         max(min(i.last_ns, s.z) - max(i.first_ns, s.a)), NULL, NULL,
         p.full_flow, p.rowid
    FROM span s, pause_sender /*scan*/ p
    JOIN tap t ON t.id = p.tap_id
    JOIN pause i /*scan*/ ON i.tap_id = p.tap_id
                         AND i.source_mac = p.source_mac
                         AND i.priority IS p.priority
   WHERE ifnull(i.last_ns, i.first_ns) >= s.a AND i.first_ns <= s.z
   GROUP BY p.rowid)
SELECT tap_id, source_mac, who AS port, priority, pauses, xoff_frames, xon_frames,
       refreshes, ended_by_expiry, paused_ns,
       1.0 * paused_ns / nullif(length, 0) AS share, longest_ns, seen, passed,
       (SELECT f.dst FROM flow f WHERE f.id = full_flow) AS full_link
  FROM sender
 WHERE (:tap IS NULL OR tap_id = :tap)
 ORDER BY paused_ns DESC, xoff_frames DESC, place
 LIMIT :limit
