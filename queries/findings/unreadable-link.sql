-- Are there packets of a link type that cannot be read?
SELECT 'warning' AS severity, 0.99 AS confidence,
       CASE WHEN sum(packets_unreadable) = sum(packets)
            THEN 'Nothing of the input could be read: '
            ELSE plural(sum(packets_unreadable), 'packet') || ' of '
                 || human_count(sum(packets)) || ' could not be read: ' END
         || CASE WHEN count(DISTINCT linktype) > 1
                 THEN 'link types ' ELSE 'link type ' END
         || group_concat(DISTINCT linktype) AS title,
       'fabscope does not read this link type (or record type of ERF, '
         || '197): whether there is RoCE or Ultra Ethernet in these packets '
         || 'is not known, and no verdict covers them.' AS detail,
       'Capture as Ethernet, Linux cooked, ERF or InfiniBand (DLT_INFINIBAND), '
         || 'or convert the file.' AS action,
       CASE WHEN min(id) = max(id) THEN max(id) END AS tap_id,
       json_object('numbers',
                   json_object('unreadable', sum(packets_unreadable)),
                   'query', 'fabscope query DB taps') AS evidence
  FROM (SELECT id, linktype, packets, packets_unreadable FROM tap
         WHERE packets_unreadable > 0 /*scan*/)
HAVING count(*) > 0
