-- Did ports send pause frames (PFC, 802.3x)?
-- Counted here; what was too much is reported by other rules.
WITH p AS (
  SELECT count(DISTINCT tap_id) AS taps, count(*) AS lanes,
         sum(pauses) AS pauses, sum(xoff_frames) AS xoff,
         sum(xon_frames) AS xon, sum(paused_ns) AS paused_ns,
         max(paused_ns) AS most_ns, max(longest_ns) AS longest_ns,
         count(paused_ns) AS timed, min(first_ns) AS first_ns,
         max(last_ns) AS last_ns, min(tap_id) AS tap_id,
         sum(priority IS NULL) AS whole_links
    FROM pause_sender /*scan*/),
most AS (
  SELECT p.who, p.priority, p.paused_ns, p.full_flow,
         1.0 * p.paused_ns / nullif(p.captured_ns, 0) AS share
    FROM pause_sender /*scan*/ p
   WHERE p.paused_ns > 0
   ORDER BY share DESC, p.rowid LIMIT 1)
SELECT 'info' AS severity, 0.99 AS confidence,
       plural(sum(packets_pfc + packets_pause), 'pause frame')
         || ' (PFC or 802.3x), none of which is an XOFF or could be read'
         AS title,
       NULL AS detail, NULL AS action,
       CASE WHEN min(id) = max(id) THEN max(id) END AS tap_id,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('numbers', json_object('pfc', sum(packets_pfc),
                                          'pause', sum(packets_pause)),
                   'query', 'fabscope query DB taps') AS evidence
  FROM tap
 WHERE packets_pfc + packets_pause > 0
   AND NOT EXISTS (SELECT 1 FROM pause_sender /*scan*/)
HAVING count(*) > 0
UNION ALL
SELECT 'info', 0.99,
       plural(p.pauses, 'pause') || ' (PFC or 802.3x), by '
         || plural(p.xoff + p.xon, 'pause frame') || ' at '
         || plural(p.taps, 'capture point') AS title,
       plural(p.xoff, 'XOFF frame') || ', ' || plural(p.xon, 'XON frame')
         || ', '
         || CASE WHEN p.whole_links = p.lanes
                 THEN 'of whole links (802.3x). '
                 WHEN p.whole_links > 0
                 THEN 'of single priorities (PFC) and of whole links (802.3x). '
                 ELSE 'of single priorities (PFC). ' END
         || CASE WHEN p.timed < p.lanes
                 THEN 'How long that is, is not known without the speed of '
                   || 'the link: give it with --topology. ' ELSE '' END
         || ifnull((SELECT 'Longest paused by ' || who
                           || ifnull(', priority ' || priority, '')
                           || ': '
                           || human_ns(paused_ns) || ' ('
                           || human_share(share) || ' of the capture), at '
                           || 'most ' || human_ns(p.longest_ns) || ' at a time.'
                           || ifnull(' Meanwhile the link of ' || f.dst
                             || ' was full, and most of what was queued was '
                             || 'for it.', '')
                      FROM most LEFT JOIN flow f ON f.id = most.full_flow),
                   '') AS detail,
       NULL AS action,
       CASE WHEN p.taps = 1 THEN p.tap_id END AS tap_id,
       p.first_ns, p.last_ns,
       json_object('numbers',
                   json_object('pauses', p.pauses, 'xoff', p.xoff,
                               'xon', p.xon, 'paused_ns', p.paused_ns,
                               'longest_ns', p.longest_ns),
                   'query', 'fabscope query DB pause-senders') AS evidence
  FROM p
 WHERE p.lanes > 0
