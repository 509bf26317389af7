-- Can damage be told by the invariant CRC?
SELECT id AS tap_id, 'icrc' AS what,
       CASE WHEN nic_sniffer THEN 'no'
            WHEN icrc_bad > 0 AND icrc_bad >= icrc_good THEN 'no'
            WHEN ifnull(icrc_good + icrc_bad, 0) = 0 THEN 'no'
            WHEN icrc_unchecked > 0 THEN 'partial' ELSE 'yes' END AS verdict,
       CASE WHEN nic_sniffer
            THEN 'a NIC sniffer changed the packets'
            WHEN icrc_bad > 0 AND icrc_bad >= icrc_good
            THEN 'nearly every checksum is wrong: something rewrites the '
                 || 'packets for the capture'
            WHEN ifnull(icrc_good + icrc_bad, 0) = 0
            THEN CASE WHEN icrc_unchecked > 0
                      THEN 'the packets are cut by the snap length'
                      ELSE 'there is no RoCE packet' END
            WHEN icrc_unchecked > 0
            THEN 'checked on ' || human_share(1.0 * (icrc_good + icrc_bad)
                      / (icrc_good + icrc_bad + icrc_unchecked))
                 || ' of the packets; the others are cut by the snap length'
            ELSE 'checked on every packet' END AS why
  FROM tap
