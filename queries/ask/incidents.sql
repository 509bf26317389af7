-- Which incidents are the findings made of?
--
-- param kind text NULL  only this kind
-- column id id  incident.id
-- column kind word  what
-- column who text  whose traffic
-- column occurrences count  times
-- column flows count  flows
-- column lost_min count  lost, at least
-- column lost_max count  maximum of the same
-- column retransmitted_packets count  retransmitted
-- column cost_ns duration  summed over flows
-- column worst_ns duration  of one flow
-- column worst_flow_id id  of this one
-- column first_ns time  begin
-- column last_ns time  end
-- column confidence share  confidence, 0..1
-- column low_confidence flag  1: capture loss spoils it
--
-- example fabscope query DB incidents
SELECT id, kind, who, occurrences, flows, lost_min, lost_max, retransmitted_packets,
       cost_ns, worst_ns, worst_flow_id, first_ns, last_ns, confidence,
       low_confidence
  FROM incident
 WHERE :kind IS NULL OR kind = :kind
 ORDER BY cost_ns DESC, id
