-- Do queue pairs share a link because nothing tells the hash that they differ?
-- needs balance
SELECT 'warning' AS severity, 0.9 AS confidence,
       'UDP source ports without entropy: '
         || plural(b.flows, 'flow') || ' look like '
         || plural(cast(round(b.effective_flows) AS INTEGER), 'flow')
         || ' to the hash, on ' || plural(b.members, 'link') AS title,
       'The source ports carry ' || round(b.entropy_bits, 1)
         || ' bits, and queue pairs of the same hosts always take the same '
         || 'link. ' || plural((SELECT count(*) FROM balance_member m
                                 WHERE m.group_id = b.group_id
                                   AND m.bytes = 0), 'link')
         || ' of ' || g.name || ' carried nothing, the fullest '
         || round(b.mmr_bytes, 2) || ' times the mean.' AS detail,
       'Let the NICs derive the source port from the queue pair, or let the '
         || 'switches hash the destination QP.'
         AS action,
       b.busiest_tap_id AS tap_id,
       json_object('numbers',
                   json_object('entropy_bits', round(b.entropy_bits, 3),
                               'effective_flows', round(b.effective_flows, 1)),
                   'query', 'fabscope query DB balance') AS evidence
  FROM balance b
  JOIN link_group g ON g.id = b.group_id
 WHERE b.whole AND b.mode = 'ecmp' AND b.hash_input = '5-tuple'
   AND b.jfi < 0.8 AND b.effective_flows < b.members
   AND b.flows >= 2 * b.members
   AND b.polarized IS NULL
