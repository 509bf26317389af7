-- Do packets keep coming while a port pauses their priority?
-- Then the other end does not obey, or the frames that ended the pauses were not
-- captured: what such pauses cost is not known.
-- needs pause_sender
SELECT 'warning' AS severity, 0.7 AS confidence,
       plural(p.passed, 'packet')
         || ifnull(' of priority ' || p.priority, '')
         || ' arrived while ' || p.who || ' had paused '
         || iif(p.priority IS NULL, 'the link', 'it') AS title,
       plural(p.xoff_frames, 'XOFF frame') || ', '
         || plural(p.xon_frames, 'XON frame') || '; paused for '
         || human_ns(p.paused_ns) || ' in all, in which '
         || human_share(1.0 * p.passed / p.seen) || ' of '
         || plural(p.seen, 'packet') || ' arrived. Either the other end of the '
         || 'link does not obey these pauses, as PFC is off for this priority '
         || 'there, or they ended before, and that was not captured.' AS detail,
       'Compare the PFC configuration of both ends of the link, and their '
         || 'counters of pause frames sent and received.' AS action,
       p.tap_id, p.first_ns, p.last_ns,
       json_object('frames', json_array(json_object('tap', p.tap_id,
                                                    'frame', p.frame)),
                   'numbers', json_object('passed', p.passed, 'seen', p.seen,
                                          'paused_ns', p.paused_ns),
                   'query', 'fabscope query DB pause-senders --param tap='
                            || p.tap_id) AS evidence
  FROM pause_sender /*scan*/ p
 WHERE p.ignored
