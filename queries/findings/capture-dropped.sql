-- Does the capturing system report that it dropped packets?
-- param most count 5  taps listed by name; more are counted together
SELECT 'warning' AS severity, 0.99 AS confidence,
       'The capturing system dropped ' || plural(sum(dropped_reported),
                                                 'packet')
         || ' at ' || CASE count(*)
              WHEN 1 THEN 'tap ' || ifnull(max(name), max(id))
              ELSE plural(count(*), 'tap') END AS title,
       'The capture file says so'
         || ifnull(': ' || human_share(1.0 * sum(dropped_reported)
              / nullif(sum(dropped_reported) + sum(packets), 0))
              || ' of what it received', '')
         || '. What is missing for this reason was not lost on the network.'
         AS detail,
       'Capture with a larger buffer, a shorter snaplen or a filter.'
         AS action,
       CASE count(*) WHEN 1 THEN max(id) END AS tap_id,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('numbers',
                   json_object('dropped_reported', sum(dropped_reported)),
                   'query', 'fabscope query DB capture-quality') AS evidence
  FROM tap
 WHERE dropped_reported > 0
 GROUP BY CASE WHEN (SELECT count(*) FROM tap WHERE dropped_reported > 0)
                    <= :most THEN id END
