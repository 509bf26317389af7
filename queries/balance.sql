-- How well do parallel links share their load?
--
-- column id id  link_group.id
-- column name text  the group
-- column source text  topology, traffic or names: how it is known
-- column captured text  links captured of how many
-- column mode text  ecmp, flowlet, spray, adaptive, nic-spray
-- column flows count  flows, one direction of a queue pair each
-- column bytes bytes  octets
-- column jfi real  Jain's fairness index of octets, 1 is best
-- column jfi_p50 real  the same over short windows, median
-- column jfi_p5 real  the worst twentieth of the windows
-- column window_ns duration  length of these windows
-- column mmr_bytes real  most octets on a link / mean, 1 is best
-- column mmr_flows real  most flows on a link / mean, 1 is best
-- column entropy_bits real  of UDP source ports, by octets
-- column hash_input text  what ECMP looks at, where that can be told
-- column effective_flows real  as many flows of equal size to be hashed
-- column chance share  random choices that load their fullest link less
-- column busiest text  the link with most octets
-- column why text  why figures are missing
--
-- example fabscope query DB balance
SELECT g.id, g.name, g.source,
       b.tapped || ' of ' || ifnull(b.members, '?') AS captured,
       b.mode, b.flows, b.bytes, round(b.jfi, 3) AS jfi,
       round(b.jfi_p50, 3) AS jfi_p50, round(b.jfi_p5, 3) AS jfi_p5,
       b.window_ns, round(b.mmr_bytes, 3) AS mmr_bytes,
       round(b.mmr_flows, 3) AS mmr_flows,
       round(b.entropy_bits, 2) AS entropy_bits, b.hash_input,
       round(b.effective_flows, 1) AS effective_flows, b.chance,
       (SELECT m.member FROM balance_member m
         WHERE m.group_id = g.id AND m.tap_id = b.busiest_tap_id) AS busiest,
       b.why
  FROM balance b
  JOIN link_group g ON g.id = b.group_id
 WHERE b.tapped > 0
 ORDER BY g.id
