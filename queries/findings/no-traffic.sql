-- Is there any traffic to judge at all?
SELECT 'info' AS severity, 0.99 AS confidence,
       'There is no RoCE or Ultra Ethernet traffic in this capture' AS title,
       plural(ifnull(sum(packets), 0), 'packet')
         || ' read. Looked for: UDP ports 4791 and 4793, Ethernet type 0x8915, '
         || 'IP protocol 253, also inside ERSPAN, GRE, VXLAN and GENEVE; '
         || 'native InfiniBand.' AS detail,
       'Check where the mirror is placed and what its filter lets through.'
         AS action,
       json_object('numbers', json_object('packets', sum(packets)),
                   'query', 'fabscope query DB taps') AS evidence
  FROM tap
HAVING ifnull(sum(packets_roce), 0) = 0 AND ifnull(sum(packets_cnp), 0) = 0
   AND NOT EXISTS (SELECT 1 FROM flow /*scan*/)
   AND max(uet_unnamed_port) IS NULL
   AND ifnull(sum(packets_unreadable), 0) = 0
