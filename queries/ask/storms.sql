-- Which pauses were storms, where did they come from and how far did they go?
-- In order of time, so that the rows of one root are its way through the
-- fabric.
--
-- param root id NULL  only what came from this storm
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 1000  maximum number of rows
-- column id id  storm.id
-- column first_ns time  begin
-- column last_ns time  end
-- column tap_id id  tap.id
-- column source_mac text  port that sent the pause frames
-- column port text  the port in words
-- column priority id  0..7; NULL the whole link
-- column level word  heavy, suspect, storm, deadlock-suspect, deadlock
-- column share share  of that time it was paused
-- column longest_ns duration  the longest pause
-- column seen count  packets of the priority that went to the port meanwhile
-- column root_id id  storm.id of the storm that caused it, among those tapped
-- column root text  only what this storm caused
-- column depth count  tapped links it reached from here, in a row
-- column behind_ns duration  start, after that of the storm that caused it
--
-- example fabscope query DB storms
SELECT s.id, s.first_ns, s.last_ns, s.tap_id, s.source_mac, p.who AS port, s.priority,
       s.level, 1.0 * s.paused_ns / nullif(s.last_ns - s.first_ns, 0) AS share,
       s.longest_ns, s.seen, s.root_id, s.root, s.depth,
       (SELECT min(delay_ns) FROM storm_edge /*scan*/ WHERE effect_id = s.id)
         AS behind_ns
  FROM storm /*scan*/ s
  JOIN pause_sender p ON p.tap_id = s.tap_id AND p.source_mac = s.source_mac
               AND p.priority IS s.priority
 WHERE (:root IS NULL OR s.root_id = :root)
   AND (:from IS NULL OR s.last_ns >= :from)
   AND (:to IS NULL OR s.first_ns <= :to)
 ORDER BY s.first_ns, s.id
 LIMIT :limit
