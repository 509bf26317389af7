-- Are there flows of which only one direction passes their capture point?
-- Or at two taps that seem to be the halves of one link.  What comes back may pass
-- another capture point: that of the other port of a bond, say.
-- param share share 0.01  mentioned when so many of the packets are concerned
WITH halves AS (
  SELECT a.name || ' and ' || b.name AS names, a.half_why_not AS doubt
    FROM tap a /*scan*/
    JOIN tap b ON b.id = a.half_of
   WHERE a.half_why_not IS NOT NULL AND a.id < b.id
   ORDER BY a.id LIMIT 1),
one_way AS MATERIALIZED (
  SELECT tap_id, src, dst, count(*) AS flows
    FROM (SELECT count(*) AS taps FROM tap HAVING taps > 1)
   CROSS JOIN flow /*scan*/
   WHERE visibility <> 'both'
     AND transport IN ('RC', 'XRC', 'UET-ROD', 'UET-RUD')
   GROUP BY tap_id, src, dst),
back AS MATERIALIZED (
  SELECT dst AS src, src AS dst, min(tap_id) AS least, max(tap_id) AS most
    FROM one_way GROUP BY dst, src),
elsewhere AS MATERIALIZED (
  SELECT total(f.flows) AS flows
    FROM one_way f
    JOIN back b ON b.src = f.src AND b.dst = f.dst
   WHERE b.least <> f.tap_id OR b.most <> f.tap_id)
SELECT 'info' AS severity, 0.95 AS confidence,
       'Only one direction of '
         || plural(sum(flows_fwd + flows_rev), 'flow') || ' is visible'
         || iif((SELECT flows FROM elsewhere) > 0, ' at one capture point', '')
         AS title,
       human_share(1.0 - 1.0 * sum(packets_both) / sum(connected_packets))
         || ' of the packets belong to flows whose '
         || CASE WHEN sum(flows_fwd) > 0 AND sum(flows_rev) > 0
                 THEN 'other direction'
                 WHEN sum(flows_fwd) > 0 THEN 'ACKs, NAKs and CNPs'
                 ELSE 'requests' END
         || ' took another path, or could not be matched to them'
         || iif(EXISTS (SELECT 1 FROM halves), ', or are at another tap', '')
         || '. '
         || iif((SELECT flows FROM elsewhere) > 0,
                'The hosts of '
                  || plural(CAST((SELECT flows FROM elsewhere) AS INTEGER),
                            'flow')
                  || ' answer through another capture point. ', '')
         || 'For these flows loss and capture loss are ambiguous, and latency is '
         || 'not observable.' AS detail,
       CASE (SELECT doubt FROM halves)
            WHEN 'order'
            THEN (SELECT names FROM halves) || ' show a direction each of one '
              || 'link, but the file is not in order of time: put it in order '
              || 'first (reordercap, mergecap).'
            WHEN 'files'
            THEN (SELECT names FROM halves) || ' show a direction each of one '
              || 'link. If one clock stamped both, give both files one name: '
              || '--tap NAME=FILE --tap NAME=FILE.'
            WHEN 'hosts'
            THEN (SELECT names FROM halves) || ' may show a direction each of '
              || 'one link. If they do, say so: two files by one name (--tap '
              || 'NAME=FILE --tap NAME=FILE), two interfaces by their links '
              || 'in a topology file (role = tap).'
            ELSE iif((SELECT flows FROM elsewhere) > 0,
                     'If hosts have several ports with one address (bond, '
                       || 'MLAG), name the links and taps in a topology file: '
                       || 'the taps of a host are then one capture point. If '
                       || 'not, capture ', 'Capture ')
                   || 'at the host''s own link, where both directions pass.'
             END AS action,
       json_object('numbers',
                   json_object('flows_fwd', sum(flows_fwd),
                               'flows_rev', sum(flows_rev),
                               'connected_flows', sum(connected_flows)),
                   'query', 'fabscope query DB coverage') AS evidence
  FROM coverage
HAVING NOT EXISTS (SELECT 1 FROM tap WHERE sampled_one_in IS NOT NULL)
   AND sum(connected_packets) - sum(packets_both)
       > :share * sum(connected_packets)
   AND sum(flows_fwd + flows_rev) > 0
