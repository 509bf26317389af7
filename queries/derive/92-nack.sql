-- What a NAK is to RoCE is a NACK to Ultra Ethernet, or a SACK that skips a PSN.
UPDATE finding AS d
   SET title = transport_words('UET-', replace(title, 'a NAK',
                                                'a SACK or NACK')),
       detail = transport_words('UET-', replace(detail, 'a NAK',
                                                'a SACK or NACK'))
 WHERE (title LIKE '%NAK%' OR detail LIKE '%NAK%')
   AND CASE WHEN incident_id IS NOT NULL
            THEN NOT EXISTS (SELECT 1 FROM incident_flow m
                               JOIN flow f ON f.id = m.flow_id
                              WHERE m.incident_id = d.incident_id
                                AND f.transport NOT LIKE 'UET-%')
            WHEN flow_id IS NOT NULL
            THEN (SELECT transport FROM flow WHERE id = d.flow_id)
                 LIKE 'UET-%'
            ELSE NOT EXISTS (SELECT 1 FROM flow /*scan*/
                              WHERE transport NOT LIKE 'UET-%') END;
