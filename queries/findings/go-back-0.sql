-- Do senders start whole messages again after a loss (go-back-0)?
-- Rule R22.
-- needs incident
SELECT 'warning' AS severity, confidence,
       'Senders restart whole messages after a loss (go-back-0): ' || who
         AS title,
       'A retransmission starts at the first packet of the message although '
         || 'the NAK of the receiver names a later PSN. Under steady loss a '
         || 'long message never gets through. ' || cost AS detail,
       'Consistent with old firmware of the sending NIC: update '
         || ifnull(src, 'the senders') || '.' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || id)
         AS evidence
  FROM incident
 WHERE kind = 'go_back_0'
