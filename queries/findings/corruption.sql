-- Were packets corrupted before they reached this capture point?
-- Rules R5 and U17: their checksum is wrong, so the receiver discards them
-- without a word.
-- needs incident
SELECT 'warning' AS severity, confidence,
       plural(occurrences, 'packet')
         || ' corrupted between the sender and this capture point: ' || who
         AS title,
       'They have a bad ICRC (CRC of UET). A receiver drops such packets '
         || 'silently, and the sender must retransmit them. ' || cost
         AS detail,
       'A switch that recomputes the Ethernet FCS hides this from its error '
         || 'counters: look for a failing link, memory or a device that '
         || 'rewrites packets between ' || ifnull(src, 'the senders')
         || ' and here.' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB events --param kind=icrc_bad --param '
                  || 'incident=' || id) AS evidence
  FROM incident
 WHERE kind = 'corruption'
