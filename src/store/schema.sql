-- The result database.  docs/schema.md is made from this file.
--
-- Every table has its comment above it, every column behind it.  Times are
-- integer nanoseconds since the epoch (*_ns) or, where the comment says so,
-- lengths of time; addresses are text; booleans are 0 and 1; what is not known
-- is NULL, never 0.  The names are public: more may be added, but each keeps
-- its spelling and meaning.
--
-- user_version counts the schemas of releases.  It goes up by one in a release
-- whose schema is not that of the release before, whatever the difference; no
-- number is used twice.  A new version may add tables, columns and kinds.
-- Where a name goes or changes its meaning, the list below says so.
--
-- fabscope itself reads the databases of its own version, because its queries
-- may ask for any column; other versions, and databases made between two
-- releases whose tables differ, are refused with a sentence: analyze the
-- capture again.  Other programs should accept any version from the one they
-- were written for on, and ignore what they do not know.
--
-- | version | what is new |
-- |---|---|
-- | 1 | the first |
-- | 2 | flow: DSCP, 802.1p, marks of packets with payload; telemetry_bin, segment_bin |
-- | 3 | the answer, evidence of counters; tables and columns have the field's words |
-- | 4 | audit, setting, sampled, qp_error, congestion_place and others; places, ports, pauses that nobody obeyed, steps back in time |
-- | 5 | the words of ACKs: hop and path answered, answer_* are acked, ack_*; tap holes_* are unseen_*; ending, judge_flow, judge_recovery answer* are last_response_ns, acks_before_data, acked, ack_ns; unmatched.kind answer is ack; compared_test.verdict noise is not significant |
PRAGMA application_id = 1717658227;
PRAGMA user_version = 5;

-- Facts about the analysis itself: program version, options.
CREATE TABLE meta(
  key TEXT PRIMARY KEY,       -- "version", "command", ...
  value TEXT                  -- as text
) WITHOUT ROWID;

-- One capture file that was read.
CREATE TABLE capture(
  id INTEGER PRIMARY KEY,     -- place on the command line, from 1
  path TEXT NOT NULL,         -- as it was given; "-" is standard input
  format TEXT,                -- "pcap", "pcapng", "pcap.gz", ...
  packets INTEGER,            -- packets analyzed
  bytes INTEGER,              -- bytes of the file, decompressed
  first_ns INTEGER,           -- time of the first packet
  last_ns INTEGER,            -- time of the last packet
  damaged_ranges INTEGER,     -- corrupted byte ranges: see corrupted_range
  skipped_packets INTEGER,    -- packets that were there but unusable
  filtered_packets INTEGER,   -- packets the filter kept out
  cut INTEGER                 -- 1: its end is missing (cut off inside a packet)
);

-- A byte range of a capture file that could not be read as packets: corrupted,
-- or the rest of a file that is cut off.
CREATE TABLE corrupted_range(
  capture_id INTEGER,         -- capture.id
  from_byte INTEGER,         -- first byte, in the decompressed file
  to_byte INTEGER,           -- first byte that could be read again
  why TEXT,                   -- what was wrong
  PRIMARY KEY(capture_id, from_byte)
) WITHOUT ROWID;

-- One capture point: an interface of a pcapng file, or a whole file of another
-- kind.
CREATE TABLE tap(
  id INTEGER PRIMARY KEY,     -- number of the tap, from 1
  capture_id INTEGER,         -- capture.id
  name TEXT,                  -- given with --tap, or the interface's name
  interface INTEGER,          -- number of the interface in its file
  speed_bps INTEGER,          -- link speed; NULL when the file has none
  snaplen INTEGER,            -- in bytes; NULL unlimited
  linktype INTEGER,           -- LINKTYPE_ number
  packets INTEGER,            -- packets in the capture
  first_ns INTEGER,           -- time of the first packet
  last_ns INTEGER,            -- time of the last packet
  received_reported INTEGER,  -- packets the capturing system says it received
  dropped_reported INTEGER,   -- packets it says it dropped; NULL not reported
  mirror_duplicates INTEGER,  -- mirror duplicates, counted nowhere else
  unseen_nacked INTEGER,      -- PSNs not seen here that their receiver reported
                              -- missing
  unseen_acked INTEGER,       -- PSNs not seen here that their receiver
                              -- acknowledged
  timestamp_regressions INTEGER, -- out-of-order timestamps
  back_from_ns INTEGER,       -- the longest step back of timestamps: from; NULL
                              -- none
  back_to_ns INTEGER,         -- and to
  stamp_step_ns INTEGER,      -- length: what timestamps step by while packets
                              -- come, and may be wrong by, where most packets
                              -- share one; NULL most have one of their own
  disorder_ns INTEGER,        -- length: the mirror reorders packets by up to so
                              -- long, and their times may be wrong by it; NULL
                              -- not that it shows
  place INTEGER,              -- number of its capture point: taps of one are
                              -- parallel links of one hop, or the two
                              -- directions of one link
  packets_roce INTEGER,       -- RoCE packets without CNP
  packets_cnp INTEGER,        -- congestion notification packets (CNP)
  packets_uet INTEGER,        -- Ultra Ethernet packets
  packets_not_uet INTEGER,    -- on UET's port or IP protocol, but not UET
  uet_unnamed_port INTEGER,   -- UDP port that carries Ultra Ethernet and is
                              -- not given as one of its; NULL none
  packets_uet_unnamed INTEGER, -- packets there: not analyzed, part
                              -- of packets_other
  packets_pfc INTEGER,        -- PFC frames (802.1Qbb)
  packets_pause INTEGER,      -- global pause frames (802.3x)
  packets_lldp INTEGER,       -- LLDP frames
  packets_other INTEGER,      -- everything else
  packets_unreadable INTEGER, -- of a link type, or ERF record type, that
                              -- cannot be read: what they are is not known
  truncated INTEGER,          -- truncated (snaplen) inside the headers
  malformed INTEGER,          -- malformed packets
  fragments INTEGER,          -- IP fragments
  unknown_opcodes INTEGER,    -- RoCE packets with an opcode of no known layout
  reserved_set INTEGER,       -- packets with a reserved BTH bit set
  mirror_seq_seen INTEGER,    -- 1: the mirror numbers its packets (ERSPAN)
  mirror_seq_lost INTEGER,    -- mirrored packets missing by the mirror's
                              -- sequence numbers
  icrc_good INTEGER,          -- ICRC checked, good
  icrc_bad INTEGER,           -- ICRC checked, bad
  icrc_unchecked INTEGER,     -- not checkable: bytes were cut off
  ect INTEGER,                -- ECN-capable RoCE and UET packets (ECT)
  ce INTEGER,                 -- RoCE and UET packets marked ECN CE
  nic_sniffer INTEGER,        -- 1: source MACs hold time stamps, not addresses
  spray_suspect INTEGER,      -- 1: seems to be one of several sprayed links
  sampled_one_in REAL,        -- the mirror sends one packet in so many; NULL all
  estimated_packets INTEGER,  -- sampled: packets there were; NULL not sampled
  estimated_packets_error REAL, -- of that, one standard deviation
  overrun INTEGER,            -- 1: the capture is complete at first, and then
                              -- misses many packets of all flows
  from_node TEXT,             -- sender on its link, from the topology file
  to_node TEXT,               -- receiver on its link, likewise
  from_port TEXT,             -- name that counters have for the sender's port;
                              -- NULL not given, or by table link
  to_port TEXT,               -- name for the receiver's port; likewise
  both_ways INTEGER,          -- 1: it shows the other direction as well
  role TEXT,                  -- ingress-mirror egress-mirror tap; NULL not
                              -- given
  half_of INTEGER,            -- tap.id that shows the other direction of its
                              -- link, or seems to; NULL none does
  half_by TEXT,             -- who says so: addresses name topology; the two
                              -- are one capture point.  NULL unknown
  half_why_not TEXT,            -- why the two stay two capture points: hosts
                                -- (both ends are hosts, so addresses prove
                                -- nothing), files (two files may have two
                                -- clocks), order (the file is not in time
                                -- order)
  direction INTEGER           -- 1 2: which one of its link; parallel links alike
);

-- What is and what is not observable at a tap.  Filled for every tap.
CREATE TABLE observability(
  tap_id INTEGER,             -- tap.id
  what TEXT,                  -- "pfc", "ack", "ce", "icrc", "latency", ...
  verdict TEXT,               -- "yes", "partial", "no"
  why TEXT,                   -- the reason, one sentence
  PRIMARY KEY(tap_id, what)
) WITHOUT ROWID;

-- How much of the traffic at a tap the verdicts rest on.
CREATE TABLE coverage(
  tap_id INTEGER PRIMARY KEY, -- tap.id
  packets INTEGER,            -- packets of all flows
  flows INTEGER,              -- flows, one direction each
  connected_flows INTEGER,    -- those whose transport sends ACKs (not UD/UC)
  connected_packets INTEGER,  -- packets of those
  flows_both INTEGER,         -- connected, and seen in both directions
  packets_both INTEGER,       -- packets of those
  flows_fwd INTEGER,          -- requests without their responses
  flows_rev INTEGER,          -- responses without their requests
  flows_unpaired INTEGER,     -- connected, other direction not identified
  flows_sprayed INTEGER,      -- loss verdicts withheld: parts take other links
  expected INTEGER,           -- PSNs covered
  checked INTEGER,            -- of these, those of flows whose responses are
                              -- captured, so that it is known whether the capture misses
                              -- some
  capture_missing INTEGER,    -- of checked, capture gap: delivered but not
                              -- captured; NULL without ACKs
  missing_share REAL,         -- capture_missing / checked
  lost INTEGER,               -- proven losses, lower bound
  unresolved INTEGER,         -- PSN gaps whose cause is ambiguous
  low_confidence INTEGER,     -- 1: so much is not captured that verdicts on
                              -- losses have low confidence
  crc_good INTEGER,           -- packets whose checksum (RoCE: ICRC, Ultra
                              -- Ethernet: CRC) is right
  crc_bad INTEGER,            -- packets whose checksum is wrong
  crc_unchecked INTEGER       -- packets on which it could not be checked
);

-- Flows of one tap and kind added up: what others add up further.  There may be
-- several rows of a kind.
CREATE TABLE flow_sum(
  tap_id INTEGER,             -- flow.tap_id
  transport TEXT NOT NULL,    -- flow.transport
  sprayed INTEGER NOT NULL,   -- 1: parts of them travel elsewhere
  numbered INTEGER,           -- 1: requests or responses were seen
  carried INTEGER,            -- 1: with payload
  visibility TEXT,            -- flow.visibility
  paired INTEGER NOT NULL,    -- 1: the other direction is known
  first_id INTEGER,           -- flow.id of the first
  flows INTEGER,              -- number of flows
  packets INTEGER,            -- packets, retransmissions included
  wire INTEGER,               -- bytes with preamble, FCS and interframe gap
  goodput INTEGER,            -- payload bytes, each counted once (no
                              -- retransmissions)
  expected INTEGER,           -- PSNs covered
  checked INTEGER,            -- of these, those of flows whose responses are
                              -- captured
  capture_missing INTEGER,    -- of checked, capture gap: delivered but not
                              -- captured
  lost_min INTEGER,           -- packets lost, at least
  lost_max INTEGER,           -- maximum of the same
  unresolved INTEGER,         -- PSN gaps whose cause is ambiguous
  retransmitted INTEGER,      -- packets retransmitted
  reordered INTEGER,          -- out of order
  spurious INTEGER,           -- spurious (unneeded) retransmissions
  timeouts INTEGER,           -- recoveries by RTO
  naks INTEGER,               -- NAKs, implied ones included
  rnr INTEGER,                -- RNR NAKs
  first_ns INTEGER,           -- first packet
  last_ns INTEGER,            -- last packet
  ect_data INTEGER,           -- ECN-capable packets with payload
  ce_data INTEGER,            -- packets with payload marked ECN CE
  not_ect_data INTEGER,       -- packets with payload that are not ECN-capable
  dscp_min INTEGER,           -- least flow.dscp
  dscp_max INTEGER,           -- maximum of the same
  pcp_min INTEGER,            -- least flow.pcp
  pcp_max INTEGER,            -- maximum of the same
  least INTEGER,              -- shortest completion of a message, ns
  most INTEGER,               -- longest, ns
  latency REAL,               -- sum of completion times, ns
  timed INTEGER,              -- messages whose completion time is known
  rtt INTEGER,                -- minimum RTT tap to receiver and back, ns
  rtts INTEGER,               -- flows that have one
  trimmed INTEGER,            -- packets trimmed upstream or downstream of the
                              -- capture point
  crc_good INTEGER,           -- packets whose ICRC or CRC is right
  crc_bad INTEGER             -- packets whose ICRC or CRC is wrong
);

-- Flows of one transport added up: what the KPIs are made of.  A flow seen at
-- several capture points counts once, with its largest values.
CREATE TABLE service(
  transport TEXT NOT NULL,    -- flow.transport
  sprayed INTEGER NOT NULL,   -- 1: parts of them travel elsewhere
  numbered INTEGER,           -- 1: requests or responses were seen
  carried INTEGER,            -- 1: with payload
  flows INTEGER,              -- number of flows
  goodput INTEGER,            -- payload bytes, each counted once (no
                              -- retransmissions)
  bytes INTEGER,              -- bytes of the frames
  wire INTEGER,               -- with preamble, FCS and gap
  expected INTEGER,           -- PSNs covered
  lost_min INTEGER,           -- packets lost, at least
  lost_max INTEGER,           -- maximum of the same
  retransmitted INTEGER,      -- packets retransmitted
  reordered INTEGER,          -- out of order
  spurious INTEGER,           -- spurious (unneeded) retransmissions
  timeouts INTEGER,           -- recoveries by RTO
  naks INTEGER,               -- NAKs, implied ones included
  rnr INTEGER,                -- RNR NAKs
  first_ns INTEGER,           -- first packet
  last_ns INTEGER,            -- last packet
  least INTEGER,              -- shortest completion of a message, ns
  most INTEGER,               -- longest, ns
  latency REAL,               -- sum of completion times, ns
  timed INTEGER,              -- messages whose completion time is known
  trimmed INTEGER             -- packets trimmed upstream or downstream of the
                              -- capture point
);

-- One direction of one queue pair (or UET context) in one epoch.
CREATE TABLE flow(
  id INTEGER PRIMARY KEY,     -- in order of first packet
  tap_id INTEGER,             -- tap of the first packet
  impaired INTEGER,           -- 1: a counter of loss, retransmission, NAK or
                              -- timeout is not zero
  transport TEXT NOT NULL,    -- RC UC UD XRC DC UET-ROD UET-RUD UET-RUDI
                              -- UET-UUD UET-TSS (encrypted) MRC VENDOR
  src TEXT NOT NULL,          -- sender's address
  dst TEXT NOT NULL,          -- receiver's address
  dst_qp INTEGER,             -- queue pair it is sent to
  src_qp INTEGER,             -- the sender's queue pair
  spdcid INTEGER,             -- UET: PDC id of the sender
  dpdcid INTEGER,             -- UET: PDC id of the receiver
  job_id INTEGER,             -- UET: job, the first when there are several
  epoch INTEGER,              -- from 0; counts reuses of a queue pair number
  peer_flow_id INTEGER,       -- flow.id of the other direction
  pairing TEXT,               -- pairing method: cm sport read ack assumed
                              -- order pdcid; NULL not paired
  pairing_confidence REAL,    -- 0..1
  visibility TEXT,            -- both fwd rev: directions captured
  recovery TEXT,              -- loss recovery: gbn (go-back-N), sr (selective
                              -- repeat), ooo (out-of-order placement),
                              -- go_back_0
  spray_suspect INTEGER,      -- 1: looks sprayed, loss verdicts are withheld
  udp_sports INTEGER,         -- distinct UDP source ports, 255 is "or more";
                              -- UET: entropy values, at least
  udp_sport INTEGER,          -- the first of them
  sport_changes INTEGER,      -- packets with another one than the packet before
  pmtu INTEGER,               -- path MTU, bytes of payload
  first_psn INTEGER,          -- the first PSN of its requests
  first_ns INTEGER,           -- time of the first packet
  last_ns INTEGER,            -- time of the last packet
  packets INTEGER,            -- packets, retransmissions included
  bytes INTEGER,              -- bytes on the wire, retransmissions included
  payload_bytes INTEGER,      -- payload bytes, retransmissions included
  goodput_bytes INTEGER,      -- payload bytes, each counted once (no
                              -- retransmissions); NULL here and of messages: it
                              -- is encrypted
  requests INTEGER,           -- packets that are requests
  responses INTEGER,          -- responses to the other direction
  messages INTEGER,           -- messages seen
  messages_completed INTEGER, -- of these, completed
  messages_incomplete INTEGER, -- of these, not
  expected INTEGER,           -- PSNs covered
  spans_reads INTEGER,        -- 1: of these, some are those of READ responses
  lost_upstream INTEGER,      -- lost upstream: between sender and tap, minimum
  lost_downstream_min INTEGER, -- lost downstream: between tap and receiver,
                              -- minimum
  lost_downstream_max INTEGER, -- maximum of the same
  corrupted INTEGER,          -- of the lost: corrupted upstream of the capture
                              -- point
  capture_missing INTEGER,    -- capture gap: delivered but not captured
  unresolved INTEGER,         -- PSN gaps whose cause is ambiguous
  reordered INTEGER,          -- packets reordered upstream of the capture point
  reorder_extent_max INTEGER, -- reordering extent (RFC 4737), packets
  reorder_late_ns_max INTEGER, -- length: longest late time of a reordered
                              -- packet
  reorder_events INTEGER,     -- reorderings at which a go-back-N receiver sends
                              -- a NAK
  retransmitted INTEGER,      -- packets retransmitted
  retransmitted_bytes INTEGER, -- bytes retransmitted
  spurious INTEGER,           -- spurious (unneeded) retransmissions
  timeouts INTEGER,           -- retransmission timeouts (RTO)
  nak_seq INTEGER,            -- sequence error NAKs against this flow
  nak_fatal INTEGER,          -- NAKs that end the queue pair
  rnr_nak INTEGER,            -- RNR NAKs against this flow
  implied_nak INTEGER,        -- implied NAKs: READ or ATOMIC responses that
                              -- skip a PSN
  duplicates INTEGER,         -- duplicates of packets already acknowledged
  ack_lost INTEGER,           -- ACKs lost
  mirror_duplicates INTEGER,  -- mirror duplicates, counted nowhere else
  credit_stalls INTEGER,      -- times the sender waited for credit
  ect INTEGER,                -- ECN-capable packets (ECT)
  ce INTEGER,                 -- packets marked ECN CE
  cnp INTEGER,                -- CNPs that the sender of this flow received
  ect_data INTEGER,           -- ECN-capable packets with payload
  ce_data INTEGER,            -- packets with payload marked ECN CE
  not_ect_data INTEGER,       -- packets with payload that are not ECN-capable
  dscp INTEGER,               -- DSCP of the first packet with payload
  dscp_bare INTEGER,          -- of the first without: ACKs, READ requests
  dscp_cnp INTEGER,           -- of the first CNP in this direction
  pcp INTEGER,                -- 802.1p priority of the first packet with
                              -- payload; NULL not tagged
  service_other INTEGER,      -- packets of another DSCP or 802.1p priority
                              -- than the first of their kind
  ttl INTEGER,                -- TTL or hop limit of the first packet
  trimmed INTEGER,            -- UET: packets trimmed by a switch
  icrc_good INTEGER,          -- ICRC checked, good
  icrc_bad INTEGER,           -- ICRC checked, bad
  recoveries INTEGER,         -- number of recoveries
  recovery_ns INTEGER,        -- length: time lost in recoveries, summed
  latency_min_ns INTEGER,     -- length: completion of a message, as seen here
  latency_mean_ns INTEGER,    -- length: on average
  latency_max_ns INTEGER,     -- length: the slowest
  rtt_sender_ns INTEGER,      -- length: minimum RTT tap to sender and back
  rtt_receiver_ns INTEGER,    -- length: minimum RTT tap to receiver and back
  ack_timeout_code INTEGER,   -- from CM: ACK timeout = 4.096 us x 2^code
  retry_count INTEGER,        -- from CM
  rnr_retry INTEGER,          -- from CM
  src_mac TEXT,               -- source MAC address of its first packet; NULL
                              -- none; behind a router, that of the router
  dst_mac TEXT,               -- destination; likewise
  open INTEGER                -- 1: live still follows it; NULL it is over
);

-- Something that happened to a flow at one moment.
CREATE TABLE event(
  id INTEGER PRIMARY KEY,     -- in order of discovery, not of time
  ns INTEGER,                 -- when
  tap_id INTEGER,             -- tap.id
  flow_id INTEGER,            -- flow.id
  frame INTEGER,              -- frame number in the file of the tap
  kind TEXT NOT NULL,         -- see below
  psn INTEGER,                -- first PSN concerned
  count INTEGER,              -- how many packets
  value INTEGER,              -- by kind, see below
  confidence REAL,            -- 0..1
  detail TEXT,                -- the rule that decided, "R3" first
  decided INTEGER             -- 1: follows from the verdict on a recovery
);

-- One message: a SEND, WRITE, READ or ATOMIC from its first to its last packet.
CREATE TABLE message(
  id INTEGER PRIMARY KEY,     -- in order of completion
  flow_id INTEGER,            -- flow.id
  op TEXT,                    -- send write read atomic flush atomic_write
  first_ns INTEGER,           -- first packet
  last_ns INTEGER,            -- last packet
  completed_ns INTEGER,       -- ACK or READ response; NULL not seen
  bytes INTEGER,              -- bytes
  psn_first INTEGER,          -- PSN of the first packet
  psn_last INTEGER,           -- PSN of the last packet
  status TEXT                 -- complete unacked capture_gap lost cut qp_error
                              -- aborted
);

-- How long messages took at a capture point, from first packet to completion:
-- the steps of a histogram, a sixteenth of their value wide at most.  All of
-- them count here; table message has a sample of them.
CREATE TABLE message_latency(
  tap_id INTEGER,             -- tap.id
  transport TEXT,             -- as in flow
  op TEXT,                    -- as in message
  bytes_from INTEGER,         -- messages of this size up to four times of it; NULL
                              -- not known
  from_ns INTEGER,            -- length: the step begins here
  to_ns INTEGER,              -- length: and ends there
  count INTEGER               -- messages in it
);

-- One recovery: why packets were retransmitted, and what it cost.
CREATE TABLE recovery(
  id INTEGER PRIMARY KEY,     -- in order of their end
  flow_id INTEGER,            -- flow.id of the requests
  tap_id INTEGER,             -- tap.id
  trigger TEXT,               -- nak timeout rnr implied_nak unknown
  cause TEXT,                 -- loss_upstream loss_downstream loss_or_reorder
                              -- reorder corruption ack_loss rnr collateral
                              -- trimmed_upstream trimmed_downstream trimmed
                              -- unknown
  psn INTEGER,                -- first PSN retransmitted
  lost_min INTEGER,           -- packets lost, at least
  lost_max INTEGER,           -- maximum of the same
  first_ns INTEGER,           -- gap, refused original or start of an idle time
  detect_ns INTEGER,          -- NAK, or first retransmission after an RTO
  retransmit_ns INTEGER,          -- first retransmission
  last_ns INTEGER,            -- caught up
  idle_ns INTEGER,         -- length: the sender's idle time before
  frame_detect INTEGER,       -- frame of the NAK
  frame_original INTEGER,     -- frame of the original; NULL: not known
  frame_first INTEGER,        -- frame of the first retransmission
  frame_last INTEGER,         -- frame of the last retransmission
  retransmitted_packets INTEGER,     -- packets retransmitted
  retransmitted_bytes INTEGER,       -- bytes retransmitted
  confidence REAL,            -- 0..1
  rule TEXT,                  -- the rule that decided, "R3"
  evidence INTEGER,           -- what was observed, a bit each; query why
  remaining INTEGER           -- the hypotheses that remain, a bit each:
                              -- docs/rules-recovery.md
);

-- How the requests of a queue pair ended that were not all completed: what its
-- sender tried again and how often, and what the receiver refused.  None of
-- those that only the end of the capture cut off.
CREATE TABLE ending(
  id INTEGER PRIMARY KEY,     -- in the order in which they were over
  flow_id INTEGER,            -- flow.id of the requests
  tap_id INTEGER,             -- tap.id
  psn INTEGER,                -- the sender went back to it, or it was refused
  first_psn INTEGER,          -- the first PSN of the flow
  next_psn INTEGER,           -- the first PSN that was never sent
  mid_stream INTEGER,         -- 1: the first was not the first of a message
  opcode INTEGER,             -- of the packet with that PSN, as on the wire
  payload INTEGER,            -- its bytes of payload
  length INTEGER,             -- length in its RETH; NULL it has none
  acknowledged INTEGER,       -- 1: it was acknowledged, as seen here
  tries INTEGER,              -- times the sender went back to it
  first_ns INTEGER,           -- the first of these; NULL none
  last_ns INTEGER,            -- the last of these, or the last refusal
  shortest_ns INTEGER,        -- length: shortest idle time before one of them
  longest_ns INTEGER,         -- length: longest of the same
  frame_first INTEGER,        -- frame of the first
  frame_last INTEGER,         -- frame of the last
  refusals INTEGER,           -- RNR NAKs for it in a row, or 1 other NAK
  syndrome INTEGER,           -- AETH syndrome of the last; NULL none
  refused_ns INTEGER,         -- when
  rnr_wait_ns INTEGER,        -- length: RNR timer of the RNR NAK
  frame_refused INTEGER,      -- frame of it
  last_response_ns INTEGER,   -- last response to these requests; NULL none ever
  end_ns INTEGER              -- no more of it was captured until then
);

-- Why a queue pair stopped: what its sender will have reported, and who or what
-- is left as the reason.  Derived; one row for each flow that stopped.
CREATE TABLE qp_error(
  id INTEGER PRIMARY KEY,     -- any order
  flow_id INTEGER,            -- flow.id of the requests
  tap_id INTEGER,             -- tap.id
  error TEXT,                 -- as the completion of its sender has it: retry
                              -- rnr_retry remote_access remote_invalid_request
                              -- remote_operation
  cause TEXT,                 -- what is left: never_reached never_this_qp
                              -- size path_died peer_died return_path this_qp
                              -- not_ready refused
  src TEXT,                   -- flow.src
  dst TEXT,                   -- flow.dst
  psn INTEGER,                -- ending.psn
  tries INTEGER,              -- ending.tries, or RNR NAKs
  ns INTEGER,                 -- last try or refusal
  dead_ns INTEGER,            -- no later than that the sender gave up
  frame INTEGER,              -- frame of the last try, or of the NAK
  frame_first INTEGER,        -- frame of the first try
  confidence REAL,            -- 0..1, that the queue pair is in error
  why TEXT,                   -- what shows it, and what rules out the others
  error_log_id INTEGER        -- error_log.id of a line that says the same
);

-- What the recoveries of a flow are decided from, beside their evidence, for
-- fabscope judge: what was counted of the flow before any was decided about.
-- Flows without recoveries, and those with too many to keep, are not here.
CREATE TABLE judge_flow(
  id INTEGER PRIMARY KEY,     -- in the order in which they were decided about
  flow_id INTEGER,            -- flow.id
  transport INTEGER,          -- enum flow_transport, a number
  paired INTEGER,             -- 1: the other direction is known
  packets INTEGER,            -- all packets
  requests INTEGER,           -- packets of the request PSN space
  covered INTEGER,            -- PSNs of that space
  initial INTEGER,            -- first PSN
  mid_stream INTEGER,         -- 1: which was not the first of a message
  window INTEGER,             -- most PSNs ever unacknowledged
  window_met INTEGER,         -- times an ACK came while it was that many, 255 at
                              -- the most
  spans_reads INTEGER,        -- 1: READs count in it with all responses
  acks_before_data INTEGER,   -- times an ACK was seen before its packet
  ip_up INTEGER,              -- of the last IP identifications those that
                              -- counted up
  ip_total INTEGER,           -- number of these
  rtt_r INTEGER,              -- length: minimum RTT tap to receiver; 0 unknown
  rtt_s INTEGER,              -- length: minimum RTT tap to sender; 0 unknown
  rtt_n INTEGER,              -- samples behind rtt_r
  gbn_votes INTEGER,          -- replays of all outstanding packets
  sr_votes INTEGER,           -- replays of a part
  kept INTEGER,               -- NAKs after which more was acknowledged at once
                              -- than had been retransmitted
  kept_reads INTEGER,         -- of these, with a READ or ATOMIC among it
  refused INTEGER,            -- NAKs after which no more was acknowledged than
                              -- had been retransmitted, up to what was seen
  refused_reads INTEGER,      -- likewise up to a READ or ATOMIC
  nak_seq INTEGER,            -- sequence error NAKs
  rnr_nak INTEGER,            -- RNR NAKs, or NACKs for lack of resources
  mirror_dups INTEGER,        -- mirror duplicates
  reorder_events INTEGER,     -- reorderings seen here
  reorder_proven INTEGER,     -- reorderings downstream, proven
  route_reorders INTEGER,     -- of all flows from the one host to the other
  late_max INTEGER,           -- length: longest late time of a reordered packet
  route_late_ns INTEGER,      -- length: the same of all flows from the one host
                              -- to the other
  nak_wait_ns INTEGER,        -- length: least that the receiving host waited
                              -- before a NAK; 0 unknown
  reordered INTEGER,          -- reordered packets
  missing INTEGER,            -- PSNs acknowledged, never seen here
  unresolved INTEGER,         -- PSNs of which it is not known
  corrupted INTEGER,          -- corrupted packets
  lost_up INTEGER,            -- responses lost upstream
  r4_min INTEGER,             -- responses lost downstream, at least
  r4_max INTEGER,             -- maximum of the same
  r12_min INTEGER,            -- losses known by an RTO only, at least
  r12_max INTEGER,            -- maximum of the same
  duplicates INTEGER,         -- duplicates of what was acknowledged
  timeouts INTEGER,           -- retransmission timeouts
  recoveries INTEGER,         -- number of recoveries
  recovery_ns INTEGER,        -- length: time lost in recoveries, summed
  now_ns INTEGER,             -- last packet of the capture then
  re_ack_ns INTEGER,          -- length: longest from a retransmission to the
                              -- repeated ACK that it provoked
  lacks INTEGER,              -- PSNs that the capture lacks, both directions
  all_covered INTEGER,        -- PSNs of both directions
  late_behind INTEGER,        -- UET: packets reordered downstream
  behind_max_ns INTEGER,      -- length: longest late time of these
  no_pdc_ns INTEGER,          -- UET: first refusal for lack of a context; 0
                              -- none
  trim_nacks INTEGER          -- UET: NACKs of trimmed packets
);

-- The evidence of one recovery, as it was collected: numbers of the C structure
-- struct evidence, in the order of the flow's recoveries.
CREATE TABLE judge_recovery(
  id INTEGER PRIMARY KEY,     -- in order
  flow_id INTEGER,            -- flow.id
  bits INTEGER,               -- what was observed of it, a bit each
  trigger INTEGER,            -- enum recovery_trigger, a number
  beyond INTEGER,             -- 1: an ACK passed what was not retransmitted yet
  proven_ever INTEGER,        -- 1: a part had arrived
  again_before INTEGER,       -- 1: the NAKed packet had been retransmitted
  answered INTEGER,           -- 1: it is a READ or ATOMIC
  unpaired INTEGER,           -- 1: the other direction was not known then
  paused INTEGER,             -- 1: its sender, for half of the idle time
  psn INTEGER,                -- first PSN retransmitted
  high INTEGER,               -- next new PSN at that time
  nak_psn INTEGER,            -- PSN of the NAK
  nak_high INTEGER,           -- next new PSN when it was seen
  beyond_una INTEGER,         -- how far that ACK went
  proven INTEGER,             -- PSNs before it had arrived
  rest INTEGER,               -- PSNs from |high| to the end of an open message;
                              -- 0 not known
  fills INTEGER,              -- retransmissions of PSNs not seen before
  again INTEGER,              -- retransmissions that were missing before
  repeats INTEGER,            -- other retransmissions
  re_acks INTEGER,            -- repeated ACKs that duplicates provoked
  rounds INTEGER,             -- times the RTO expired
  lost_min INTEGER,           -- lost responses, at least
  lost_max INTEGER,           -- maximum of the same
  tap INTEGER,                -- tap.id less 1
  bytes INTEGER,              -- bytes retransmitted
  lost_ns INTEGER,            -- gap, refused original or start of an idle time
  detect_ns INTEGER,          -- NAK, or first retransmission
  first_ns INTEGER,           -- first retransmission
  last_ns INTEGER,            -- last retransmission
  end_ns INTEGER,             -- caught up, or acknowledged
  silence_ns INTEGER,         -- length: the sender's idle time before
  spaced_ns INTEGER,          -- length: NAKed packet after its predecessor
  soonest_ns INTEGER,         -- length: retransmission to the soonest ACK
  orig_frame INTEGER,         -- frame of the original; 0 not known
  frame_detect INTEGER,       -- frame of the NAK; 0 none
  frame_first INTEGER,        -- frame of the first retransmission
  frame_last INTEGER,         -- frame of the last retransmission
  orig_ns INTEGER,            -- UET: original; 0 not known
  since_ns INTEGER,           -- UET: acknowledged by then; 0 not known
  missing_ns INTEGER,         -- length: UET: how long it was missing
  missed_ns INTEGER,          -- length: UET: how long the receiver missed it
  ev INTEGER,                 -- UET: entropy value
  ev_known INTEGER,           -- UET: 1: it is known
  proves INTEGER,             -- UET: 1: first of a run of which one was lost
  waited INTEGER,             -- UET: 1: acknowledged long before
  acked INTEGER,              -- UET: 1: the last retransmission need not be lost
  drops INTEGER,              -- 1: the capture dropped packets meanwhile
  in_time INTEGER,            -- 1: the sender had received ACKs in time since
                              -- it went back before
  ack_ns INTEGER              -- length: to the first ACK; 0 none
);

-- PSNs first seen here as a retransmission.
CREATE TABLE judge_fill(
  id INTEGER PRIMARY KEY,     -- in order
  flow_id INTEGER,            -- flow.id
  record INTEGER,             -- which recovery of the flow, from 0
  psn INTEGER,                -- first PSN
  n INTEGER,                  -- number of PSNs
  ns INTEGER,                 -- when
  since_ns INTEGER,           -- when the packet that follows was seen
  frame INTEGER,              -- frame of the first
  drops INTEGER,              -- 1: the capture dropped packets meanwhile
  again INTEGER               -- 1: first seen since an earlier retransmission
);

-- Recoveries and other problems of one kind that share a place and hosts.  Not
-- a fact but derived: findings are made from these.
CREATE TABLE incident(
  id INTEGER PRIMARY KEY,     -- any order
  kind TEXT NOT NULL,         -- loss_upstream, rnr, ...: queries/derive/51-occurrence
  scope TEXT,                 -- pair dst src tap all: what they share
  who TEXT,                   -- the same in words
  tap_id INTEGER,             -- tap.id when only one
  src TEXT,                   -- sender when only one
  dst TEXT,                   -- receiver when only one
  flow_id INTEGER,            -- flow.id when only one
  flows INTEGER,              -- flows concerned
  occurrences INTEGER,           -- times it happened
  lost_min INTEGER,           -- packets lost, at least
  lost_max INTEGER,           -- maximum of the same
  retransmitted_packets INTEGER,     -- packets retransmitted
  retransmitted_bytes INTEGER,       -- bytes retransmitted
  idle_ns INTEGER,         -- length: longest idle time of a sender
  cost_ns INTEGER,            -- length: sum over flows
  worst_flow_id INTEGER,      -- the flow that paid most
  worst_ns INTEGER,           -- length: what that flow paid
  first_ns INTEGER,           -- begin of the first
  last_ns INTEGER,            -- end of the last
  confidence REAL,            -- 0..1, mean
  expected INTEGER,           -- PSNs of these flows
  missing_share REAL,         -- share of packets the capture misses there
  low_confidence INTEGER,     -- 1: so much is not captured that verdicts on
                              -- losses have low confidence
  cost TEXT,                  -- what it cost, in words
  caution TEXT,               -- what weakens the verdict, in words; or ""
  also TEXT,                  -- taps that saw the same, less exactly: names;
                              -- NULL none
  evidence TEXT               -- JSON: see finding.evidence
);

-- The flows of an incident.
CREATE TABLE incident_flow(
  incident_id INTEGER,        -- incident.id
  flow_id INTEGER,            -- flow.id
  occurrences INTEGER,           -- times it happened to this flow
  cost_ns INTEGER,            -- length: what this flow paid
  PRIMARY KEY(incident_id, flow_id)
) WITHOUT ROWID;

-- One loss, or one trimmed or reordered packet, that two capture points saw
-- from both sides.  Derived.  Where more than two saw a loss, the pair beside
-- it counts: a NAK reaches them in that order.
CREATE TABLE same_loss(
  seen_id INTEGER,            -- recovery.id where the packet was seen
  lost_id INTEGER,            -- recovery.id where it was not seen
  counted INTEGER,            -- 1: findings of loss are made from this pair
  late INTEGER,               -- 1: it was seen there, but late: no loss
  PRIMARY KEY(seen_id, lost_id)
) WITHOUT ROWID;

-- A loss that only the capture point before it saw as a loss event, and that
-- packets prove to lie between two of them: table unmatched.  Derived.
CREATE TABLE segment_loss(
  recovery_id INTEGER PRIMARY KEY, -- recovery.id
  segment_id INTEGER,         -- segment.id
  packets INTEGER,            -- packets lost there
  confidence REAL             -- 0..1
);

-- Flows that another capture point saw with more packets.  Derived.
CREATE TABLE same_flow(
  flow_id INTEGER PRIMARY KEY, -- flow.id
  counted_id INTEGER              -- flow.id of the same flow there
);

-- A connection management message (RDMA-CM, queue pair 1).
CREATE TABLE cm(
  id INTEGER PRIMARY KEY,     -- in order of time
  ns INTEGER,                 -- when
  tap_id INTEGER,             -- tap.id
  frame INTEGER,              -- frame number in the file of the tap
  src TEXT,                   -- sender's address
  dst TEXT,                   -- receiver's address
  message TEXT,               -- REQ MRA REJ REP RTU DREQ DREP ...; NULL unknown
  attribute INTEGER,          -- the same as number
  local_comm_id INTEGER,      -- communication ID of the sender
  remote_comm_id INTEGER,     -- the receiver's
  qpn INTEGER,                -- REQ and REP: sender's QP; DREQ: receiver's
  psn INTEGER,                -- REQ and REP: first PSN
  service_id TEXT,            -- hexadecimal
  reason INTEGER              -- REJ only
);

-- Flows of connections to a storage protocol, as RDMA-CM set them up.  Derived.
CREATE TABLE storage_flow(
  flow_id INTEGER PRIMARY KEY, -- flow.id, either direction
  protocol TEXT NOT NULL,     -- NVMe over RDMA (ports 4420, 8009), NFS over RDMA
                              -- (20049)
  target TEXT                 -- address that was connected to: the storage
);

-- One direction of a TCP connection from or to a port of NVMe over TCP (4420,
-- 8009), as one capture point saw it.  TCP is not followed: nothing is known of
-- losses.
CREATE TABLE nvme_tcp(
  tap_id INTEGER,             -- tap.id
  src TEXT,                   -- sender
  dst TEXT,                   -- receiver
  src_port INTEGER,           -- TCP source port
  dst_port INTEGER,           -- TCP destination port
  packets INTEGER,            -- packets
  bytes INTEGER,              -- payload of TCP, retransmissions included
  first_ns INTEGER,           -- time of the first packet
  last_ns INTEGER             -- time of the last packet
);

-- What only Ultra Ethernet has: one direction of a packet delivery context.  One
-- that only sent ACKs has no row, if there is one of the other direction.
CREATE TABLE pdc(
  flow_id INTEGER PRIMARY KEY, -- flow.id
  role TEXT,                  -- initiator target: of this direction's sender
  state TEXT,                 -- at the end: syn_sent established quiescing
                              -- close_wait closed error; NULL not known
  start_psn INTEGER,          -- first PSN; NULL no SYN was seen
  opened_ns INTEGER,          -- first SYN
  closed_ns INTEGER,          -- ACK of CLOSE
  handshake_ns INTEGER,       -- length: first SYN to first ACK, as seen here
  syn_packets INTEGER,        -- packets sent before that ACK
  syn_bytes INTEGER,          -- bytes of payload sent before it
  jobs INTEGER,               -- 1: one job; more: the job changed
  entropy_values INTEGER,     -- distinct entropy values, at least
  acks INTEGER,               -- ACKs of this direction
  acks_cc INTEGER,            -- of these, with congestion state and SACK
  marked INTEGER,             -- ACKs of packets that arrived marked (M)
  nacks INTEGER,              -- refusals: see nack
  errors INTEGER,             -- responses with another return code than OK
  probes INTEGER,             -- PROBE control packets
  ack_requests INTEGER,       -- ACK_REQ control packets
  clears INTEGER,             -- CLEAR commands and requests
  credit_requests INTEGER,    -- CREDIT_REQ control packets
  service_min_ns INTEGER,     -- length: shortest stay at the receiver
  service_max_ns INTEGER,     -- length: longest stay at the receiver
  ooo_max INTEGER,            -- most packets out of order, says the receiver
  penalty_max INTEGER,        -- largest window penalty it requested, 0..127
  restores INTEGER,           -- times it let the window be restored
  received_bytes INTEGER,     -- bytes it counted from the first ACK on
  path_min_ns INTEGER,        -- length: minimum RTT tap to receiver and back
                              -- without the stay at the receiver
  credit_granted INTEGER,     -- credit granted, raw: its unit is not published;
                              -- where the counter may be older than this
                              -- context or its capture, from its first value on
  credit_wanted INTEGER,      -- credit requested, likewise
  credit_backlog_max INTEGER, -- requested and not yet granted, at most, raw
  credit_waits INTEGER,       -- times it must have had something to send and no
                              -- credit for it
  credit_wait_ns INTEGER,     -- length: all of them, until the grant was seen here
  trimmed_upstream INTEGER,   -- packets trimmed upstream of this capture point
  trimmed_downstream INTEGER, -- packets trimmed downstream of it: the receiver
                              -- reported them
  trimmed_lasthop INTEGER,    -- of both, by the last switch: incast
  late_behind INTEGER,        -- reordered downstream of the capture point
  late_behind_max_ns INTEGER, -- length: longest, from here to its ACK
  retx_unset INTEGER          -- packets retransmitted without the flag RETX:
                              -- another entropy value or CRC, or the time,
                              -- distinguishes them from a duplicate; NULL
                              -- without PSNs
);

-- What ACKs report to Ultra Ethernet senders of congestion, over time: intervals
-- as fine as there is room for, none where nothing was reported.
CREATE TABLE cc_bin(
  flow_id INTEGER,            -- flow.id of the packets that are acknowledged
  start_ns INTEGER,           -- begin
  width_ns INTEGER,           -- length
  acks INTEGER,               -- ACKs that reported anything of congestion
  marked INTEGER,             -- of these, to packets that arrived marked (M)
  trimmed INTEGER,            -- refusals of packets that arrived trimmed
  received_bytes INTEGER,     -- bytes that the receiver counted; NULL here and
                              -- below: nothing was reported of this
  service_mean_ns INTEGER,    -- length: stay at the receiver, on average
  service_max_ns INTEGER,     -- length: the longest
  ooo_max INTEGER,            -- most packets out of order, says the receiver
  penalty_max INTEGER,        -- largest window penalty it requested, 0..127
  credit_granted INTEGER,     -- credit granted, raw: its unit is not published
  credit_wanted INTEGER,      -- credit requested, raw
  credit_backlog_max INTEGER, -- requested and not yet granted, at most, raw
  credit_wait_ns INTEGER      -- length: it must have had something to send and
                              -- no credit for it, until the grant was seen here
);

-- Refusals (NACK) of one direction's packets, by reason.
CREATE TABLE nack(
  flow_id INTEGER,            -- flow.id of the refused packets
  code INTEGER,               -- as on the wire
  name TEXT,                  -- TRIMMED NO_RESOURCE ROD_OOO ...; NULL reserved
  count INTEGER,              -- refusals
  retransmitted INTEGER,             -- packets retransmitted for it
  first_ns INTEGER,           -- the first
  frame INTEGER,              -- its frame
  react_min_ns INTEGER,       -- length: NACK to retransmission, shortest
  react_mean_ns INTEGER,      -- length: on average
  react_max_ns INTEGER,       -- length: the longest
  PRIMARY KEY(flow_id, code)
) WITHOUT ROWID;

-- Ultra Ethernet that is encrypted (TSS), by security association: what a source
-- sends in one secure domain, to whom ever.  Its counter goes up by one with
-- every packet under one key, its retransmissions included.  Numbers that are not
-- here took another path, were lost or were not captured: nothing says which.
CREATE TABLE tss(
  tap_id INTEGER,             -- tap.id
  src TEXT,                   -- sender
  sdi INTEGER,                -- secure domain identifier
  ssi INTEGER,                -- secure source identifier; NULL none in packets
  first_ns INTEGER,           -- first packet
  last_ns INTEGER,            -- last packet
  packets INTEGER,            -- packets
  bytes INTEGER,              -- bytes on the wire
  trimmed INTEGER,            -- of them trimmed upstream of this capture point
  an INTEGER,                 -- association number (key) at the end, 0 or 1
  key_changes INTEGER,        -- times it changed
  epoch_first INTEGER,        -- epoch, the high part of the counter, at first
  epoch_last INTEGER,         -- and at the end
  epoch_changes INTEGER,      -- times it changed
  counter_first INTEGER,      -- counter of the first packet
  counter_last INTEGER,       -- highest of the last key and epoch
  jumps INTEGER,              -- steps of more than 2^20, either way
  expected INTEGER,           -- numbers between the first and the last of each
                              -- key and epoch
  missing INTEGER,            -- of these, not seen here
  repeated INTEGER,           -- packets with a number seen before: duplicated
                              -- by the network or the mirror, never by the
                              -- sender
  late INTEGER,               -- packets reordered by others of the source
  late_max INTEGER,           -- by so many numbers at most
  too_late INTEGER            -- by more than 1024: perhaps repeated
);

-- Ultra Ethernet: what became of packets by entropy value.  Between two hosts
-- an entropy value is a path.  The ACKs of a direction have rows as well.
-- Where there are too many, pairs of hosts are left out at random; those that
-- are here have all of their values.
CREATE TABLE entropy(
  tap_id INTEGER,             -- tap.id, the last one
  src TEXT,                   -- sender's address
  dst TEXT,                   -- receiver's address
  ev INTEGER,                 -- entropy value (UDP source port)
  packets INTEGER,            -- packets
  bytes INTEGER,              -- bytes on the wire
  ce INTEGER,                 -- marked ECN CE at this capture point
  marked INTEGER,             -- marked when they arrived, says the receiver
  trimmed INTEGER,            -- trimmed upstream or downstream of the capture
                              -- point
  retransmitted INTEGER,             -- retransmissions with this value
  lost INTEGER                -- lost downstream of the capture point
);

-- An interval in which a priority of a link was paused.
CREATE TABLE pause(
  id INTEGER PRIMARY KEY,     -- in order of their end
  tap_id INTEGER,             -- tap.id
  source_mac TEXT,            -- the port that sent it
  priority INTEGER,           -- 0..7; NULL global pause
  first_ns INTEGER,           -- first XOFF
  last_ns INTEGER,            -- end; NULL when the link speed is not known
  xoff_frames INTEGER,        -- XOFF frames
  xon_frames INTEGER,         -- XON frames
  refreshes INTEGER,          -- XOFFs while paused
  ended_by TEXT,              -- xon expiry capture_end
  quanta INTEGER,             -- sum of the quanta in its frames
  paused_ns INTEGER,          -- length; NULL when the link speed is not known
  frame INTEGER               -- the first XOFF: frame in the file of the tap
);

-- A port that sends pause frames, one row for each priority: all its pauses.
CREATE TABLE pause_sender(
  tap_id INTEGER,             -- tap.id
  source_mac TEXT,            -- the port
  priority INTEGER,           -- 0..7; NULL global pause
  link_bps INTEGER,           -- speed of the link; NULL not known
  who TEXT,                   -- the port in words
  role TEXT,                  -- host switch; NULL not known
  host TEXT,                  -- address of a host
  peer_mac TEXT,              -- the port it pauses
  first_ns INTEGER,           -- first frame
  last_ns INTEGER,            -- last frame
  pauses INTEGER,             -- intervals: see pause
  xoff_frames INTEGER,        -- XOFF frames
  xon_frames INTEGER,         -- XON frames
  refreshes INTEGER,          -- XOFFs while paused
  ended_by_xon INTEGER,       -- intervals ended by XON
  ended_by_expiry INTEGER,    -- intervals ended by time: leaky pauses
  quanta INTEGER,             -- sum of the quanta in its frames
  quanta_max INTEGER,         -- most in one frame
  paused_ns INTEGER,          -- length: sum; NULL without link speed
  longest_ns INTEGER,         -- length: longest interval
  seen INTEGER,               -- packets of the priority to the port since
  passed INTEGER,             -- of these, while they should have been held
  vague INTEGER,              -- packets of the priority, and which way they
                              -- travel not known
  frame INTEGER,              -- the first XOFF: frame in the file of the tap
  captured_ns INTEGER,        -- length: from the first to the last packet of
                              -- its link
  ignored INTEGER,            -- 0/1: packets came as if it had not paused
  place TEXT,                 -- congestion_place.name: why it pauses; NULL not
                              -- known
  place_at TEXT,              -- the port, or the two ends it lies between
  deadlock INTEGER,           -- 0/1: in a cycle of ports that wait for each
                              -- other, begun by nothing outside of it
  full_flow INTEGER           -- flow.id with most of what was queued for a
                              -- link of a host that was full while this switch
                              -- paused; NULL no such link was seen
);

-- A pause that lasted longer than congestion explains.
CREATE TABLE storm(
  id INTEGER PRIMARY KEY,     -- in order of their end
  tap_id INTEGER,             -- tap.id
  source_mac TEXT,            -- the port that sent it
  priority INTEGER,           -- 0..7; NULL global pause
  first_ns INTEGER,           -- begin
  last_ns INTEGER,            -- end
  level TEXT,                 -- heavy suspect storm deadlock-suspect deadlock
  root TEXT,                  -- where it started, if that is known
  depth INTEGER,              -- tapped links it reached from here, in a row
  root_id INTEGER,            -- storm.id that caused it; its own where no
                              -- cause is captured
  paused_ns INTEGER,          -- length: time paused in it
  longest_ns INTEGER,         -- length: longest pause in it
  xoff_frames INTEGER,        -- XOFF frames
  seen INTEGER,               -- packets of the priority to the port meanwhile
  vague INTEGER,              -- the same, which way not known
  frozen INTEGER,             -- 1: none in its longest pause
  standing INTEGER,           -- 1: not over when the capture ended
  frame INTEGER               -- the first XOFF: frame in the file of the tap
);

-- One storm caused another: packets to the paused port queue, until the device
-- they come from sends pauses as well.  Derived.
CREATE TABLE storm_edge(
  cause_id INTEGER,           -- storm.id
  effect_id INTEGER,          -- storm.id, one tapped link nearer to the senders
  flows INTEGER,              -- flows that cross both links
  delay_ns INTEGER,           -- length: from begin to begin
  PRIMARY KEY(cause_id, effect_id)
) WITHOUT ROWID;

-- Flows that pauses stalled.  Derived; a flow seen at several taps
-- counts once, where it was stalled longest.
CREATE TABLE stalled_flow(
  tap_id INTEGER,             -- tap.id of the root: the port whose pauses no
                              -- captured pause caused
  source_mac TEXT,            -- the root
  priority INTEGER,           -- 0..7; NULL global pause
  storm_id INTEGER,           -- storm.id of the root; NULL it was no storm
  flow_id INTEGER,            -- flow.id
  part TEXT,                  -- contributor: goes where the pauses come from;
                              -- victim: does not; possible: not known
  stalls INTEGER,             -- times it was stalled
  stalled_ns INTEGER,         -- length: sum
  longest_ns INTEGER,         -- length: longest
  first_ns INTEGER,           -- begin of the first
  last_ns INTEGER,            -- end of the last
  stall_tap_id INTEGER,       -- tap.id where it was stalled
  frame INTEGER               -- the first packet after the longest, there
);

-- A stall: a time without packets of a flow within a pause of its priority.
CREATE TABLE stall(
  id INTEGER PRIMARY KEY,     -- in order of their end
  flow_id INTEGER,            -- flow.id
  tap_id INTEGER,             -- tap.id of the pauses
  cause TEXT,                 -- pause uec-cbfc
  source_mac TEXT,            -- port that sent the pause frames; uec-cbfc: the
                              -- sender
  priority INTEGER,           -- 0..7; uec-cbfc: the channel
  first_ns INTEGER,           -- the last packet before
  last_ns INTEGER,            -- the first packet after
  paused_ns INTEGER,          -- length: of this, paused
  frame INTEGER               -- the first packet after, in the file of its
                              -- flow; NULL none came
);

-- What a port advertises by LLDP; a row for each configuration it had.  What it
-- does not advertise is NULL.
CREATE TABLE lldp(
  id INTEGER PRIMARY KEY,     -- in order of their end
  tap_id INTEGER,             -- tap.id
  source_mac TEXT,            -- the port
  first_ns INTEGER,           -- first frame that says so
  last_ns INTEGER,            -- last
  frames INTEGER,             -- how many
  frame INTEGER,              -- the first: frame in the file of the tap
  chassis TEXT,               -- chassis ID
  port TEXT,                  -- port ID
  system TEXT,                -- system name
  ttl_s INTEGER,              -- seconds it is valid
  dcbx TEXT,                  -- ieee (802.1Qaz) cee (before the standard)
  pfc_willing INTEGER,        -- 1: takes over what the other end says
  pfc_cap INTEGER,            -- traffic classes that can have PFC
  pfc_enabled INTEGER,        -- bit n: priority n
  ets_willing INTEGER,        -- 1: takes over what the other end says
  ets_classes INTEGER,        -- traffic classes
  ets_tc TEXT,                -- JSON array: traffic class by priority
  ets_bandwidth TEXT,         -- JSON array: percent by traffic class
  ets_selection TEXT,         -- JSON array by traffic class: 0 strict, 1
                              -- credit-based shaper, 2 ETS, 255 vendor
  applications TEXT,          -- JSON array of {"sel", "proto", "prio"}
  uec TEXT                    -- TLVs of the Ultra Ethernet Consortium, subtype
                              -- and body, hexadecimal: no layout is settled
);

-- UEC CBFC: credits that a sender of data has used up in a virtual channel.
-- What it gets back is in no Ethernet frame.
CREATE TABLE uec_credit(
  tap_id INTEGER,             -- tap.id
  source_mac TEXT,            -- the sender of the data
  channel INTEGER,            -- virtual channel, 0..31
  first_ns INTEGER,           -- first update
  last_ns INTEGER,            -- last update
  updates INTEGER,            -- CC_Update frames
  credits INTEGER,            -- used up between them
  resets INTEGER,             -- times the counter went back
  stalls INTEGER,        -- times none was used for 1 ms or longer
  stalled_ns INTEGER,      -- length: sum
  longest_ns INTEGER,         -- length: longest
  frame INTEGER,              -- the first update: frame in the file of the tap
  PRIMARY KEY(tap_id, source_mac, channel)
) WITHOUT ROWID;

-- The same over time.
CREATE TABLE uec_credit_bin(
  tap_id INTEGER,             -- tap.id
  source_mac TEXT,            -- the sender of the data
  channel INTEGER,            -- virtual channel, 0..31
  start_ns INTEGER,           -- begin
  width_ns INTEGER,           -- length
  updates INTEGER,            -- CC_Update frames
  credits INTEGER,            -- used up
  PRIMARY KEY(tap_id, source_mac, channel, start_ns)
) WITHOUT ROWID;

-- A flow that travels to a port that sends PFC pause.
CREATE TABLE paused_flow(
  flow_id INTEGER,            -- flow.id
  tap_id INTEGER,             -- tap.id of the pauses
  source_mac TEXT,            -- the port
  priority INTEGER,           -- of the flow
  priority_from TEXT,         -- pcp: VLAN tag; lldp: advertised; dscp: assumed,
                              -- DSCP divided by 8; pauses: whose pauses stop it
  ttl INTEGER,                -- time to live of its first packet
  governed INTEGER,           -- 1: its priority was paused
  stalls INTEGER,             -- stalls that lie in pauses
  stalled_ns INTEGER,         -- length: sum
  longest_ns INTEGER,         -- length: longest
  standing INTEGER            -- 1: the last had not ended
);

-- A congestion notification, and how the sender of the data reacted.
CREATE TABLE cnp(
  id INTEGER PRIMARY KEY,     -- in order of being judged, not of time
  ns INTEGER,                 -- when
  tap_id INTEGER,             -- tap.id
  frame INTEGER,              -- frame number in the file of the tap
  flow_id INTEGER,            -- flow.id of the throttled flow
  attribution TEXT,           -- how that is known: pair (the directions are
                              -- paired), later (they are since, but were not
                              -- when it came: nothing else is known of it);
                              -- NULL not known
  receiver TEXT,              -- who sent it: the receiver of the marked data
  sender TEXT,                -- to whom: the sender of the data
  qp INTEGER,                 -- queue pair of the sender, whose rate the CNP
                              -- reduces
  latency_min_ns INTEGER,     -- length: from the last mark it may be for
  latency_max_ns INTEGER,     -- length: from the first mark it may be for; NULL
                              -- no mark was seen
  marks INTEGER,              -- marks it may be for
  clean INTEGER,              -- 1: first of a burst, so that it is for the
                              -- first mark: latency_max_ns is the latency
  rate_before_bps INTEGER,    -- rate of the flow before
  rate_after_bps INTEGER,     -- rate of the flow after
  window_before_ns INTEGER,   -- length: the window of the rate before
  window_after_ns INTEGER,    -- length: the window of the rate after
  reaction TEXT,              -- reacted none inconclusive; NULL: the window
                              -- after belongs to an earlier CNP
  detail TEXT                 -- why inconclusive, or why sent without a mark
);

-- A flow that was marked or received CNPs, summed up.
CREATE TABLE congestion(
  flow_id INTEGER PRIMARY KEY, -- flow.id
  first_mark_ns INTEGER,      -- time of the first marked data packet
  last_mark_ns INTEGER,       -- time of the last
  first_cnp_ns INTEGER,       -- time of the first CNP
  last_cnp_ns INTEGER,        -- time of the last
  marks INTEGER,              -- marked data packets
  cnps INTEGER,               -- CNPs
  clean INTEGER,              -- of these, with a known trigger
  unexplained INTEGER,        -- of these, without a mark before them
  reacted INTEGER,            -- windows after CNPs: the rate fell
  not_reacted INTEGER,        -- it did not
  inconclusive INTEGER,       -- reaction not known
  ignored INTEGER,            -- CNPs of the longest burst that changed nothing
  rate_start_bps INTEGER,     -- before the first CNP
  rate_low_bps INTEGER,       -- lowest window after a CNP
  rate_end_bps INTEGER,       -- latest window after a CNP
  shared INTEGER              -- 1: what passes the tap need not be the rate of
                              -- the sender
);

-- How congested flows to one receiver shared it, window by window.  Derived.
CREATE TABLE fairness(
  tap_id INTEGER,             -- tap.id
  receiver TEXT,              -- to whom
  start_ns INTEGER,           -- begin of the window
  window_ns INTEGER,          -- length
  flows INTEGER,              -- flows under way
  bytes INTEGER,              -- bytes of all of them
  bytes_min INTEGER,          -- of the slowest that sent
  bytes_max INTEGER,          -- of the fastest
  jfi REAL,                   -- Jain's fairness index
  even INTEGER                -- flows within 10 % of the mean
);

-- After flows joined others, how long until all had the same.  Derived.
CREATE TABLE convergence(
  tap_id INTEGER,             -- tap.id
  receiver TEXT,              -- to whom
  joined_ns INTEGER,          -- first packet of the last that joined
  flows INTEGER,              -- flows under way then
  joined INTEGER,             -- of these, new
  window_ns INTEGER,          -- length: rates are measured over so long
  converged_ns INTEGER,       -- length: until all were within 10 % of the mean
                              -- for good; NULL never
  nearly_ns INTEGER,          -- length: until 95 % of them were
  observed_ns INTEGER,        -- length: how long they could be watched
  jfi_first REAL,             -- Jain's index in the first window
  jfi_last REAL               -- in the last
);

-- How a receiver paces its CNPs: a row for each scope it may count by.
CREATE TABLE cnp_pacing(
  tap_id INTEGER,             -- tap.id
  receiver TEXT,              -- who sends the CNPs
  scope TEXT,                 -- qp, pair (of hosts), port
  inferred INTEGER,           -- 1: this one fits; several when there is no
                              -- difference between them here
  entities INTEGER,           -- queue pairs, pairs or ports that got CNPs
  cnps INTEGER,               -- CNPs it sent
  marks INTEGER,              -- marked data packets on their way to it
  gaps INTEGER,               -- times between two CNPs of the same entity
  gap_min_ns INTEGER,         -- length: the shortest
  gap_p1_ns INTEGER,          -- length: 1st percentile
  gap_p50_ns INTEGER,         -- length: median
  near REAL,                  -- share of gaps close to the shortest: the floor
  expected INTEGER,           -- CNPs the marks would give, paced by gap_p1_ns
  observed INTEGER            -- CNPs there were meanwhile
);

-- Load over time, sparse: an interval without packets has no row.  The rows of one
-- thing are of the same length, but for the first of a flow, which has all until
-- there were enough packets for a series.
CREATE TABLE bin(
  scope TEXT NOT NULL,        -- tap flow priority
  scope_id INTEGER NOT NULL,  -- tap.id, flow.id or the priority
  tap_id INTEGER,             -- of a priority: tap.id
  start_ns INTEGER NOT NULL,  -- begin
  width_ns INTEGER,           -- length
  packets INTEGER,            -- packets in it
  bytes INTEGER,              -- bytes on the wire
  ce INTEGER,                 -- packets marked ECN CE
  ect INTEGER,                -- ECN-capable packets (ECT)
  cnp INTEGER,                -- congestion notifications
  retransmitted INTEGER,      -- packets retransmitted
  paused_ns INTEGER           -- length: of a priority, time paused, summed over
                              -- the two directions of the link
);

-- The part of a flow that one tap saw: several rows where parallel links carry
-- it, else one.
CREATE TABLE flow_tap(
  flow_id INTEGER,            -- flow.id
  tap_id INTEGER,             -- tap.id
  packets INTEGER,            -- packets
  bytes INTEGER,              -- bytes on the wire
  first_ns INTEGER,           -- time of the first packet
  last_ns INTEGER,            -- time of the last packet
  first_port INTEGER,         -- UDP source port of the first packet
  last_port INTEGER,          -- UDP source port of the last packet
  PRIMARY KEY(flow_id, tap_id)
) WITHOUT ROWID;

-- Packets of a flow by the path that their sender wrote into the destination:
-- SRv6 with compressed segments (RFC 9800).
CREATE TABLE srv6_path(
  flow_id INTEGER,            -- flow.id
  segments TEXT,              -- the destination as it is at this capture point:
                              -- block, nodes still to be passed, host
  packets INTEGER,            -- packets
  bytes INTEGER,              -- bytes on the wire
  ce INTEGER,                 -- packets marked ECN CE
  first_ns INTEGER,           -- time of the first packet
  last_ns INTEGER,            -- time of the last packet
  PRIMARY KEY(flow_id, segments)
) WITHOUT ROWID;

-- What packets of MRC (OCP Multipath Reliable Connection) say; only flows of
-- that transport.  SACKs and NACKs are in the flow to the sender of the data.
CREATE TABLE mrc(
  flow_id INTEGER PRIMARY KEY, -- flow.id
  data INTEGER,               -- packets with data (WRITE), at this capture point
  retransmitted INTEGER,      -- of these, those that the sender marked as retransmissions
  acks INTEGER,               -- transport ACKs
  sacks INTEGER,              -- SACKs
  skip_once INTEGER,          -- SACKs that ask to skip the path once: it was marked ECN CE
  always_skip INTEGER,        -- SACKs that call the path bad
  nacks INTEGER,              -- NACKs, for the reasons that follow
  trimmed INTEGER,            -- a switch trimmed the packet
  trimmed_lasthop INTEGER,    -- the last switch did
  no_bitmap INTEGER,          -- the receiver cannot keep track of its PSN
  no_buffer INTEGER,          -- the receiver has no packet buffer
  no_resource INTEGER,        -- the receiver has no resources
  out_of_window INTEGER,      -- its PSN is outside of the window of the receiver
  unexpected INTEGER,         -- a fatal error
  other_reasons INTEGER,      -- reasons that are not known
  probes INTEGER,             -- reliability probes
  probe_replies INTEGER,      -- SACKs that answer a probe
  endpoint_requests INTEGER,  -- endpoint requests: probes of paths, port status
  endpoint_responses INTEGER, -- responses to these
  most_penalty INTEGER,       -- largest penalty of the receiver in a SACK, 0 to 127
  entropies INTEGER           -- pairs of IPv6 flow label and UDP source port of
                              -- its packets, 4096 at most
);

-- How a flow changed between parallel links; only flows that did.
CREATE TABLE link_change(
  flow_id INTEGER PRIMARY KEY, -- flow.id
  links INTEGER,              -- links it was seen on
  moves INTEGER,              -- packets on another link than the one before
  burst_packets INTEGER,      -- packets close behind the one before
  burst_moves INTEGER,        -- of these, on another link
  idle_ns INTEGER,            -- length: 1st percentile of the idle times that a
                              -- change followed
  idles INTEGER,              -- idle times of at least that
  idle_moves INTEGER,         -- of these, followed by a change
  fairness_pm INTEGER         -- Jain's index of 100 packets on those links, in
                              -- 1/1000, mean; NULL: fewer packets
);

-- A switch or a host, from the topology file.
CREATE TABLE node(
  name TEXT PRIMARY KEY,      -- as in the file
  kind TEXT,                  -- switch host
  device_id INTEGER,          -- hop.device_id of a switch
  queue_unit INTEGER,         -- bytes that it counts occupancy of queues in (INT);
                              -- NULL not given
  rail INTEGER,               -- of a host
  attached TEXT,              -- node.name of the switch a host hangs on
  server TEXT,                -- of which a host is one NIC; NULL not given
  pod TEXT,                   -- of a host; NULL not given
  storage INTEGER,            -- 1: a host that is a storage server; NULL not
                              -- given
  agent TEXT                  -- address that reports of a switch come from; NULL
                              -- not given
) WITHOUT ROWID;

-- The addresses of hosts, from the topology file.
CREATE TABLE node_address(
  address TEXT PRIMARY KEY,   -- as in flow.src
  node TEXT                   -- node.name
) WITHOUT ROWID;

-- The ports of switches, from the topology file.
CREATE TABLE node_port(
  node TEXT,                  -- node.name
  port INTEGER,               -- as in hop.egress_port
  name TEXT,                  -- what people call it
  PRIMARY KEY(node, port)
) WITHOUT ROWID;

-- How deep the queue of a port was, by path telemetry: packets that met it so.
-- By the occupancy that its switch reports, else by the time that they waited.
-- Derived.
CREATE TABLE queue_depth(
  tap_id INTEGER,             -- tap.id whose packets report it
  device_id INTEGER,          -- hop.device_id
  egress_port INTEGER,        -- hop.egress_port
  queue INTEGER,              -- hop.queue
  rate_bps INTEGER,           -- of the port: its link, or all links are alike
  bytes INTEGER,              -- in the queue before them, within 1/16
  bytes_max INTEGER,          -- the same, the most
  packets INTEGER,            -- packets
  ce INTEGER,                 -- of these, marked ECN CE when they reached the
                              -- capture point
  source TEXT                 -- occupancy or residence
);

-- What only the operator knows of switches and hosts: [dut] and [host] of the
-- topology file.
CREATE TABLE sheet(
  name TEXT,                  -- of the device; '' when there is one without
  key TEXT,                   -- as in the file
  part INTEGER,               -- of section 13 of the BMWG draft: 1 to 4
  title TEXT,                 -- what it is
  value TEXT,                 -- as the operator wrote it
  PRIMARY KEY(name, key)
) WITHOUT ROWID;

-- The cables, from the topology file.
CREATE TABLE link(
  a TEXT,                     -- one end
  b TEXT,                     -- the other
  a_port TEXT,                -- what counters call the port there; NULL not given
  b_port TEXT,                -- and there
  speed_bps INTEGER,          -- each way; NULL not given
  PRIMARY KEY(a, b)
) WITHOUT ROWID;

-- The places where congestion can be, and what each name means.  Filled where
-- there is a topology file.  Derived.
CREATE TABLE congestion_place(
  name TEXT PRIMARY KEY,      -- as in finding.place
  meaning TEXT NOT NULL       -- one sentence
) WITHOUT ROWID;

-- The output ports of the links of the topology file.  Derived.
CREATE TABLE port_place(
  node TEXT,                  -- node.name: whose port
  next TEXT,                  -- node.name: where its link leads
  place TEXT NOT NULL,        -- congestion_place.name
  PRIMARY KEY(node, next)
) WITHOUT ROWID;

-- Parallel links compared for balance.
CREATE TABLE link_group(
  id INTEGER PRIMARY KEY,     -- any order
  name TEXT,                  -- from the topology file, or made of its taps
  source TEXT,                -- topology traffic names: how it is known
  members INTEGER             -- links that traffic may take, tapped or not;
                              -- NULL not known
);

-- The links of a group.
CREATE TABLE link_member(
  group_id INTEGER,           -- link_group.id
  member TEXT,                -- as in the topology file, or the tap's name
  tap_id INTEGER,             -- tap.id; NULL not captured there
  PRIMARY KEY(group_id, member)
) WITHOUT ROWID;

-- How well parallel links share their load.  Derived.
CREATE TABLE balance(
  group_id INTEGER PRIMARY KEY, -- link_group.id
  tapped INTEGER,             -- links captured
  members INTEGER,            -- links there are; NULL not known
  whole INTEGER,              -- 1: all of them are captured
  why TEXT,                   -- why figures of merit are missing; NULL: not
  mode TEXT,                  -- of most of the load: see balance_flow
  flows INTEGER,              -- flows, one direction of a queue pair each
  packets INTEGER,            -- packets of these
  bytes INTEGER,              -- bytes of these
  mmr_flows REAL,             -- most flows on a link / mean; 1 is best
  mmr_bytes REAL,             -- most bytes on a link / mean; 1 is best
  jfi REAL,                   -- Jain's fairness index of bytes; 1 is best
  jfi_p50 REAL,               -- median over windows of window_ns
  jfi_p5 REAL,                -- 5th percentile
  window_ns INTEGER,          -- length of those windows
  busy_ns INTEGER,            -- length of windows with packets
  crowded_ns INTEGER,         -- length of those in which a link was full and
                              -- another had less than half of the mean; NULL:
                              -- speed not known
  entropy_bits REAL,          -- of UDP source ports, by bytes; NULL: NICs
                              -- change them
  hash_input TEXT,            -- what ECMP looks at: '5-tuple', '5-tuple and
                              -- QP'; NULL: not known
  effective_flows REAL,       -- 2^entropy of what the hash distinguishes, by
                              -- bytes: 5-tuples, or queue pairs
  chance REAL,                -- share of random choices of a link for each of
                              -- these that load their fullest link less
  polarized INTEGER,          -- 1: it chooses by what the layer before has
                              -- chosen by
  busiest_tap_id INTEGER      -- tap.id with most bytes
);

-- The links of a group and their load.  Derived.
CREATE TABLE balance_member(
  group_id INTEGER,           -- link_group.id
  member TEXT,                -- link_member.member
  tap_id INTEGER,             -- tap.id; NULL not captured
  flows INTEGER,              -- flows that used it
  packets INTEGER,            -- packets of these
  bytes INTEGER,              -- bytes of these
  share REAL,                 -- of the bytes of the group that are captured
  utilization REAL,           -- of the link, with preamble, gap and FCS; NULL:
                              -- speed not known
  utilization_peak REAL,      -- in the fullest window
  ect INTEGER,                -- ECN-capable packets (ECT)
  ce INTEGER,                 -- packets marked ECN CE
  PRIMARY KEY(group_id, member)
) WITHOUT ROWID;

-- How a flow used the links of its group.  Derived.
CREATE TABLE balance_flow(
  group_id INTEGER,           -- link_group.id
  flow_id INTEGER,            -- flow.id
  mode TEXT,                  -- ecmp flowlet spray adaptive nic-spray; NULL not
                              -- recognized
  links INTEGER,              -- links it used
  idle_ns INTEGER,            -- flowlet: it changes after at least that idle time
  confidence REAL,            -- 0..1
  PRIMARY KEY(group_id, flow_id)
) WITHOUT ROWID;

-- What path telemetry (IFA, INT) said about one switch on the path of a flow to
-- a tap.
CREATE TABLE hop(
  tap_id INTEGER,             -- tap.id
  flow_id INTEGER,            -- flow.id; NULL: all flows through egress_port
  device_id INTEGER,          -- as the switch calls itself
  position INTEGER,           -- position on the path: 1 is the first switch
                              -- that reported
  ttl INTEGER,                -- of the packet there; NULL not given
  ingress_port INTEGER,       -- port in; NULL also where flow_id is
  egress_port INTEGER,        -- port out
  queue INTEGER,              -- queue of the port out
  packets INTEGER,            -- packets with telemetry
  residence_min_ns INTEGER,   -- length: shortest time inside the switch
  residence_p50_ns INTEGER,   -- length: median
  residence_mean_ns INTEGER,  -- length: mean
  residence_p99_ns INTEGER,   -- length: 99th percentile
  residence_max_ns INTEGER,   -- length: the longest
  congested INTEGER,          -- packets that met congestion there, as it says
  ce INTEGER,                 -- of the packets, marked ECN CE when they reached
                              -- the tap
  slowest INTEGER,            -- of the packets, no other hop kept longer
  longest_ns INTEGER,         -- when residence_max_ns was reported
  longest_frame INTEGER,      -- frame number of that packet
  marked_mean_ns INTEGER,     -- length: mean time inside of those marked (ce)
  lost INTEGER,               -- of the packets, lost between the tap and their
                              -- receiver (where that is sure enough)
  lost_mean_ns INTEGER,       -- length: mean time inside of those
  acked INTEGER,              -- of the packets, how many requested an ACK
                              -- that came
  ack_mean_ns INTEGER,        -- length: from the capture point to their ACKs,
                              -- mean
  ack_correlation_pm INTEGER, -- do ACKs take longer for packets that were
                              -- longer inside? correlation, per mille; NULL
                              -- below 30 ACKs
  telemetry_id INTEGER,       -- telemetry_bin.telemetry_id: the same over time
  depth_min INTEGER,          -- occupancy of the queue as it reports it (INT),
                              -- in its own unit (bytes, cells or packets):
                              -- least; NULL where flow_id is not
  depth_p50 INTEGER,          -- median
  depth_mean INTEGER,         -- mean
  depth_p99 INTEGER,          -- 99th percentile
  depth_max INTEGER,          -- the most
  depth_id INTEGER            -- telemetry_bin.telemetry_id: occupancy over time
);

-- One path through the fabric that packets of a flow took to a tap, as their
-- telemetry reports it.
CREATE TABLE path(
  tap_id INTEGER,             -- tap.id
  flow_id INTEGER,            -- flow.id
  devices TEXT,               -- hop.device_id of the first 8, "1>5>3"
  hops INTEGER,               -- how many
  packets INTEGER,            -- packets that took it
  ce INTEGER,                 -- of these, marked ECN CE when they reached the
                              -- tap
  residence_min_ns INTEGER,   -- length: least time inside all hops together
  residence_p50_ns INTEGER,   -- length: median
  residence_mean_ns INTEGER,  -- length: mean
  residence_p99_ns INTEGER,   -- length: 99th percentile
  residence_max_ns INTEGER,   -- length: the longest
  lost INTEGER,               -- of the packets, lost downstream of the capture
                              -- point
  acked INTEGER,              -- of the packets, acknowledged when they requested an ACK
  ack_mean_ns INTEGER,        -- length: from the capture point to their ACKs,
                              -- mean
  ack_max_ns INTEGER,         -- length: the longest
  ack_correlation_pm INTEGER, -- as hop.ack_correlation_pm, of the whole way
  telemetry_id INTEGER             -- telemetry_bin.telemetry_id: the same over time
);

-- A packet with telemetry of its path that something happened to: lost downstream
-- of the tap, trimmed by a switch, or next to one lost upstream (a lost packet
-- reports nothing).
CREATE TABLE telemetry_packet(
  tap_id INTEGER,             -- tap.id
  flow_id INTEGER,            -- flow.id
  ns INTEGER,                 -- when it was seen
  frame INTEGER,              -- its frame
  psn INTEGER,                -- its PSN
  fate TEXT,                  -- lost next-to-loss trimmed
  confidence REAL,            -- of the verdict about the loss
  ce INTEGER,                 -- 1: it was marked
  hops INTEGER,               -- switches in its telemetry, 8 at most
  total_ns INTEGER,           -- length: time inside all of them; NULL not given
  residence_ns INTEGER,       -- length: in the one that kept it longest
  position INTEGER,           -- of that one on the way, 1 the first
  device_id INTEGER,          -- that one, as hop.device_id
  egress_port INTEGER,        -- its port out
  queue INTEGER               -- its queue
);

-- Congestion signaling tags (CSIG) that name one bottleneck.
CREATE TABLE csig(
  tap_id INTEGER,             -- tap.id
  flow_id INTEGER,            -- flow.id; NULL: all flows
  signal TEXT,                -- abw abw_c delay depth; NULL a reserved type
  type INTEGER,               -- the same as number
  locator INTEGER,            -- which hop, as the operator numbers them
  stage INTEGER,              -- upper bits of the locator; NULL not configured
  port INTEGER,               -- its lower bits; NULL not configured
  samples INTEGER,            -- packets that carried it
  ce INTEGER,                 -- of these, marked
  value_min INTEGER,          -- smallest value, quantized as by the operator
  value_p50 INTEGER,          -- median
  value_mean INTEGER,         -- mean
  value_max INTEGER,          -- largest value
  telemetry_id INTEGER             -- telemetry_bin.telemetry_id: the same over time
);

-- A row of hop, path or csig over time, sparse: packets with telemetry about
-- the same in one step of time.
CREATE TABLE telemetry_bin(
  telemetry_id INTEGER,       -- hop.telemetry_id, hop.depth_id,
                              -- path.telemetry_id or csig.telemetry_id
  start_ns INTEGER,           -- begin
  width_ns INTEGER,           -- length
  value INTEGER,              -- residence (ns), occupancy or value, within
                              -- 1/16; NULL: they
                              -- did not report it
  value_min INTEGER,          -- the smallest of them, exact
  value_max INTEGER,          -- the largest, exact
  packets INTEGER,            -- packets
  ce INTEGER,                 -- of these, marked ECN CE when they reached the
                              -- tap
  congested INTEGER,          -- of a hop: as hop.congested
  slowest INTEGER             -- of a hop: as hop.slowest
);

-- A stretch of data of one flow without an idle time long enough to end it, and
-- what its partner did in the idle time after it.
CREATE TABLE burst(
  flow_id INTEGER,            -- flow.id
  first_ns INTEGER,           -- first packet with data
  last_ns INTEGER,            -- last packet with data
  bytes INTEGER,              -- payload, each byte counted once
  psns INTEGER,               -- requests with data: PSNs, with those missing
  inside INTEGER,             -- 1: it ended inside a message
  acked_ns INTEGER,           -- last ACK of its requests before data went
                              -- on; NULL none, or not seen
  asked_ns INTEGER,           -- last request of the other direction before data
                              -- went on; likewise
  unacked INTEGER,            -- PSNs not acknowledged when data went on; NULL:
                              -- not known
  granted_ns INTEGER,         -- UET: last credit before data went on, that it must
                              -- have waited for; NULL none
  wanted_ns INTEGER           -- UET: since when it waited for that; likewise
);

-- Hosts that exchange data, directly or through others: a training job, or
-- whatever else works together.  Derived, as all tables down to interference.
CREATE TABLE job(
  id INTEGER PRIMARY KEY,     -- from 1, most bytes first
  uet_job_id INTEGER,         -- UET: JobID; NULL RoCE
  ranks INTEGER,              -- hosts that send or receive data
  ranks_tapped INTEGER,       -- of these, all they exchange with others is here
  rails INTEGER,              -- parts with no flow between them; such are one
                              -- job by its JobID, or by steps that begin
                              -- together however many there are
  flows INTEGER,              -- flows with data, a flow at two taps once
  bytes INTEGER,              -- payload, each byte counted once
  first_ns INTEGER,           -- first packet with data
  last_ns INTEGER,            -- last
  whole INTEGER,              -- 1: bursts of all of that time are known
  iterations INTEGER,         -- NULL: not identifiable
  why_not TEXT,               -- then, why
  confidence REAL,            -- 0..1: that these are the iterations
  idle_threshold_ns INTEGER,  -- length: an idle time of all ranks this long may
                              -- end a phase; NULL: there are no two kinds
  period_ns INTEGER,          -- length: by autocorrelation; NULL none
  period_peak REAL,           -- of the autocorrelation, 0..1
  phases INTEGER,             -- rows of table phase
  pattern TEXT,               -- of most phases: see phase.pattern
  pattern_confidence REAL,    -- 0..1
  collective TEXT,            -- which collective it may be: all-reduce,
                              -- all-gather or reduce-scatter, all-to-all; by
                              -- what the job recorded (--job-log) also either
                              -- of the two, broadcast, reduce; NULL: not known
  collective_confidence REAL, -- 0..1
  groups TEXT,                -- of job_group in short: 4 DP groups of 2, 4 PP groups of 2
  layout TEXT,                -- rail-only: of several rails, or one of several
                              -- jobs with the same work in step on hosts of
                              -- their own; NULL alone, or not in step
  layout_confidence REAL,     -- 0..1: 0.95 where the topology says rails
  layout_jobs INTEGER,        -- how many jobs that are; NULL alone
  jct_ns INTEGER,             -- length: first iteration's begin to last one's end
  comm_ns INTEGER,            -- length: sum of all phases
  phase_p50_ns INTEGER,       -- length: the median phase
  compute_ns INTEGER,         -- length: shortest time without communication
                              -- before an iteration: C, estimated
  rank_bytes INTEGER,         -- payload a rank sends per iteration, median
  rate_bps INTEGER,           -- of the slowest kind of link of the ranks
  rate_source TEXT,           -- link: given; seen: the fastest seen, estimated
  busbw_p50_bps INTEGER,      -- wire busbw (algorithm-agnostic) of the median
                              -- phase: what a rank sends, per time
  links_seen INTEGER,         -- ranks that is counted over
  stamp_ns INTEGER,           -- length: what time stamps in microseconds may
                              -- hide, one in each step of the critical path
  uneven_ns INTEGER           -- length: without iterations, how much longer than
                              -- usual it computed, in sum; NULL: all goes one way
);

-- The ranks of a job: addresses that send or receive data.
CREATE TABLE job_rank(
  job INTEGER,                -- job.id
  rank INTEGER,               -- from 0, in order of address or of the ring
  address TEXT,               -- as in flow.src
  rail INTEGER,               -- from the topology file; NULL not given
  server TEXT,                -- that the address is a NIC of, by the topology
                              -- file, the system name in the NIC's LLDP frames,
                              -- or the host name in what the job logged;
                              -- NULL not known
  tapped INTEGER,             -- 1: what it sends and what it receives is here
  bytes_out INTEGER,          -- payload it sent
  bytes_in INTEGER,           -- payload it received
  flows INTEGER,              -- flows from or to it
  phases INTEGER,             -- phases it sent in
  residual_ns INTEGER,        -- length: median lateness that its input does not
                              -- explain; NULL: input not seen
  spread_ns INTEGER,          -- length: median deviation of that
  late_phases INTEGER,        -- phases in which it was late by itself
  late_ns INTEGER,            -- length: sum
  straggler INTEGER,          -- 1: late by itself, beyond chance
  stage_ns INTEGER,           -- length: of a stage of a pipeline that is neither
                              -- first nor last: what it computes from its input
                              -- to what it sends, both ways together
  stage_others_ns INTEGER,    -- length: of that which computes longest: the next
  PRIMARY KEY(job, rank)
) WITHOUT ROWID;

-- Which ranks of a job work together how: by what each sends to each, and when
-- in an iteration (docs/rules.md).  A rank may be in a group of each kind.
CREATE TABLE job_group(
  job INTEGER,                -- job.id
  grp INTEGER,                -- from 1 in each job
  kind TEXT,                  -- dp replicas, pp stages of a pipeline, ep experts
                              -- (or two ranks that share each layer), tp a ring
                              -- that shares each layer
  address TEXT,               -- job_rank.address
  PRIMARY KEY(job, grp, address)
) WITHOUT ROWID;

-- A burst of communication of a job: one iteration, or a part of it.
CREATE TABLE phase(
  id INTEGER PRIMARY KEY,     -- in order of job and time
  job INTEGER,                -- job.id
  iteration INTEGER,          -- from 0
  first_ns INTEGER,           -- first packet
  last_ns INTEGER,            -- last data, or its acknowledgement where that is
                              -- what is seen of its arrival
  gap_ns INTEGER,             -- length: idle time before it; NULL the first
  pattern TEXT,               -- ring double-ring tree all-to-all broadcast
                              -- reduce pipeline exchange; NULL not recognized
  confidence REAL,            -- 0..1: of the pattern
  bytes INTEGER,              -- payload, each byte counted once
  ranks INTEGER,              -- ranks that sent
  busbw_bps INTEGER,          -- wire busbw (algorithm-agnostic)
  cut INTEGER,                -- 1: the capture begins or ends inside
  slow INTEGER,               -- 1: longer than the others, beyond their spread
  late_rank INTEGER,          -- job_rank.rank that began late by itself
  late_ns INTEGER             -- length: so much
);

-- Each rank in each phase.
CREATE TABLE phase_rank(
  phase_id INTEGER,           -- phase.id
  rank INTEGER,               -- job_rank.rank
  start_ns INTEGER,           -- its first data; NULL it sent none
  end_ns INTEGER,             -- its last
  bytes_out INTEGER,          -- payload it sent
  bytes_in INTEGER,           -- payload it received
  late_start_ns INTEGER,      -- length: start against the median rank
  late_end_ns INTEGER,        -- length: end against the median rank
  residual_ns INTEGER,        -- length: of the lateness, not explained by the
                              -- arrival of its input; NULL: that is not seen
  PRIMARY KEY(phase_id, rank)
) WITHOUT ROWID;

-- Where the time of a flow went during a phase.  The rows of a flow add up to
-- the length of the phase.
CREATE TABLE phase_flow(
  phase_id INTEGER,           -- phase.id
  flow_id INTEGER,            -- flow.id
  class TEXT,                 -- as in answer_share
  side TEXT,                  -- as in answer_share
  measured TEXT,              -- as in answer_share
  time_ns INTEGER,            -- length
  PRIMARY KEY(phase_id, flow_id, class, side, measured)
) WITHOUT ROWID;

-- Where the time of a job went: what it waited for at each moment, followed
-- back from the end of each phase, from flow to flow (the critical path).  The
-- rows of a phase add up to its length, those before it to phase.gap_ns.
CREATE TABLE phase_share(
  job INTEGER,                -- job.id
  phase_id INTEGER,           -- phase.id; NULL the job has no phases
  gap INTEGER,                -- 1: of the idle time before the phase
  class TEXT,                 -- as in answer_share
  side TEXT,                  -- as in answer_share
  measured TEXT,              -- as in answer_share
  flow_id INTEGER,            -- flow.id that was stalled; NULL none
  rank INTEGER,               -- job_rank.rank that was waited for; NULL none
  other_flow_id INTEGER,      -- flow.id that was in its way; NULL not known
  time_ns INTEGER             -- length
);

-- Classes of time that are ambiguous in this capture.
CREATE TABLE phase_ambiguity(
  job INTEGER,                -- job.id
  classes TEXT,               -- as in answer_share, with | between
  time_ns INTEGER,            -- length: so much of phase_share may be either
  why TEXT,                   -- the reason, one sentence
  PRIMARY KEY(job, classes)
) WITHOUT ROWID;

-- Where the time of a slow message went, from its first packet to its
-- completion.  The rows of a message add up to that.
CREATE TABLE message_time(
  message_id INTEGER,         -- message.id
  class TEXT,                 -- as in answer_share
  side TEXT,                  -- as in answer_share
  measured TEXT,              -- as in answer_share
  time_ns INTEGER,            -- length
  PRIMARY KEY(message_id, class, side, measured)
) WITHOUT ROWID;

-- Phases of a job while another communicates, against those while it does not:
-- an estimate of how much they disturb each other.
CREATE TABLE interference(
  job INTEGER,                -- job.id: the one disturbed
  other INTEGER,              -- job.id
  phases_with INTEGER,        -- phases while the other communicates
  phases_without INTEGER,     -- phases while it does not
  median_with_ns INTEGER,     -- length of the median phase
  median_without_ns INTEGER,  -- length of the median phase
  factor REAL,                -- first by second; NULL fewer than 20 of a kind
  PRIMARY KEY(job, other)
) WITHOUT ROWID;

-- Was it the network?  One row for the capture, one for each job.
CREATE TABLE answer(
  id INTEGER PRIMARY KEY,     -- 1 the capture, then the jobs in their order, then
                              -- slow iterations
  scope TEXT NOT NULL,        -- capture job iteration
  job INTEGER,                -- job.id; NULL the capture
  iteration INTEGER,          -- phase.iteration; NULL all of them
  who TEXT,                   -- host or flows; NULL all of them
  verdict TEXT,               -- network host both nothing-wrong undetermined
  confidence REAL,            -- 0..1; 0 no job, and fewer than 100 packets of
                              -- RoCE or UET: nothing to measure
  total_ns INTEGER,           -- length: the time that is divided: of a job from
                              -- its first to its last packet, of the capture the
                              -- sum over its jobs
  excess_ns INTEGER,          -- length: known to be more than the same work takes
                              -- with punctual hosts in a fabric without queues,
                              -- loss, or pauses
  network_ns INTEGER,         -- length: of this, caused by the network
  host_ns INTEGER,            -- length: of this, caused by hosts
  unknown_ns INTEGER,         -- length: of total_ns, its cause is not known
  cause TEXT,                 -- answer_share.class with most of the excess; NULL
                              -- nothing is wrong, or it is not known
  root TEXT,                  -- where it began: host, both ends of a link, a job;
                              -- NULL not known
  place TEXT,                 -- congestion_place.name where it queued, was
                              -- marked, lost or paused; NULL it is no congestion,
                              -- or no topology file names the links
  place_at TEXT,              -- the port there, "leaf1->spine1"; unknown: what it
                              -- lies between
  finding INTEGER,            -- finding.id with frames and query; NULL none
  reason TEXT,                -- one sentence: what was seen that leads to the
                              -- verdict, or what is missing for one
  line TEXT                   -- verdict, confidence and reason as people read
                              -- them
);

-- Where the time of an answer went.  The rows of an answer add up to total_ns.
CREATE TABLE answer_share(
  answer_id INTEGER,          -- answer.id
  class TEXT,                 -- compute wire queueing loss rate-cut pause
                              -- host-late host-receiver host-nic unknown
  side TEXT,                  -- needed network host unknown
  ns INTEGER,                 -- length
  measured TEXT,              -- what most of it was measured by
  PRIMARY KEY(answer_id, class, side)
) WITHOUT ROWID;

-- The verdicts, in order of weight.  Each is made by the query of its name in
-- queries/findings.
CREATE TABLE finding(
  id INTEGER PRIMARY KEY,     -- by severity, then by cost
  rule TEXT NOT NULL,         -- name of the query that made it
  severity TEXT NOT NULL,     -- critical warning info ok
  caused_by INTEGER,          -- finding.id of its cause; NULL none is known
  confidence REAL,            -- 0..1
  title TEXT NOT NULL,        -- one line
  detail TEXT,                -- a few sentences
  action TEXT,                -- what to do next
  tap_id INTEGER,             -- tap.id when only one
  flow_id INTEGER,            -- flow.id when only one
  first_ns INTEGER,           -- begin
  last_ns INTEGER,            -- end
  job_ns INTEGER,             -- length: time of jobs it cost, estimated: its
                              -- part of answer_share; NULL not known
  cost_ns INTEGER,            -- length: sum over flows of the time it cost
  incident_id INTEGER,        -- incident.id: its flows
  place TEXT,                 -- congestion_place.name, as in answer
  place_at TEXT,              -- as in answer
  evidence TEXT               -- JSON object, see below
);

-- Key performance indicators of the BMWG draft on AI training fabrics
-- (draft-calabria-bmwg-ai-fabric-training-bench).  Every one has a row.
CREATE TABLE kpi(
  name TEXT PRIMARY KEY,      -- as in the draft
  section TEXT,               -- of the draft: 4.1 to 4.3 its tables of KPIs, 5
                              -- to 12 the reports of its tests, 13 repeatability
  place INTEGER,              -- order within the section
  value REAL,                 -- NULL when it cannot be computed
  unit TEXT,                  -- of the value
  class TEXT,                 -- 1T NT TEL EXT NO: what it needs: one tap,
                              -- several, telemetry of switches, the user,
                              -- something that is not in packets
  confidence REAL,            -- 0..1
  missing TEXT,               -- what would be needed when value is NULL
  note TEXT,                  -- what the value rests on
  samples INTEGER             -- of how many packets, flows, ... it was made
) WITHOUT ROWID;

-- Offset and drift of the clock of a tap against that of the first tap with which
-- it shares packets, computed from packets seen at both: requests one way and
-- responses the other way limit the offset on both sides.  Empty with one capture
-- point.
CREATE TABLE clock(
  tap_id INTEGER,             -- tap.id
  part INTEGER,               -- stretch of the capture, from 1: a clock that was
                              -- set, or does not run evenly, has several
  reference_tap_id INTEGER,   -- tap.id whose clock is taken as right
  against_tap_id INTEGER,     -- tap.id it was compared with: the reference, or
                              -- one that was itself
  against_error_ns INTEGER,   -- length: as error_ns, between these two alone
  method TEXT,                -- reference; file (same file, same clock); two-way
                              -- (packets both ways); one-way; none: shares no
                              -- packets with any
  from_frame INTEGER,         -- first frame of the stretch in its file; NULL the
                              -- first of all
  from_ns INTEGER,            -- when that was, by its own clock; NULL likewise
  at_ns INTEGER,              -- by its own clock, when offset_ns holds
  offset_ns INTEGER,          -- length: ahead of the reference; below 0 behind;
                              -- NULL not known
  drift_ppb INTEGER,          -- gains so many ns a second; NULL not known
  error_ns INTEGER,           -- length: offset_ns is not further off than this
                              -- anywhere in the stretch; NULL: not known, as
                              -- packets were seen in one direction only
  drift_low_ppb INTEGER,      -- the least drift that fits
  drift_high_ppb INTEGER,     -- the greatest
  packets INTEGER,            -- packets both taps saw that this rests on
  applied INTEGER,            -- 1: its times were corrected by this; 0: they fit
                              -- as they are
  why TEXT,                   -- in words
  PRIMARY KEY(tap_id, part)
) WITHOUT ROWID;

-- One direction of a connection that several capture points saw: where, in the
-- order of its way.
CREATE TABLE tap_path(
  tap_path_id INTEGER,           -- number of the direction
  hop INTEGER,                -- position on its path, 1 is nearest to the sender
  flow_id INTEGER,            -- flow.id there
  tap_id INTEGER,             -- tap.id of the first packet there
  ttl INTEGER,                -- time to live of the first packet there
  packets INTEGER,            -- packets looked at there
  order_from TEXT,            -- why it is downstream of the one before: ttl,
                              -- time; NULL of the first
  PRIMARY KEY(tap_path_id, hop)
) WITHOUT ROWID;

-- The way from one capture point to another, for all flows that took it in this
-- direction.  Every packet is matched at the other end by what no switch
-- changes.  Empty with one capture point.
CREATE TABLE segment(
  id INTEGER PRIMARY KEY,     -- number
  from_tap_id INTEGER,        -- tap.id, the first one of the capture point nearer to the
                              -- senders
  to_tap_id INTEGER,          -- tap.id, the first one of the other capture point
  adjacent INTEGER,           -- 1: no other capture point lies between
  whole INTEGER,              -- 1: of at least one flow this is all of the way
                              -- that can be seen, from first to last capture point
  flows INTEGER,              -- flows that took it
  one_in INTEGER,             -- 1: all packets were looked at; N: one in N
  packets INTEGER,            -- packets seen at both capture points
  by_icrc INTEGER,            -- of these, matched by the ICRC, too
  delay_min_ns INTEGER,       -- length: shortest; NULL (all of delay_*) when
                              -- nothing ties the two clocks to each other
  delay_p50_ns INTEGER,       -- length: median
  delay_mean_ns INTEGER,      -- length: on average
  delay_p95_ns INTEGER,       -- length: 95th percentile
  delay_p99_ns INTEGER,       -- length: 99th percentile
  delay_p999_ns INTEGER,      -- length: 99.9th percentile
  delay_max_ns INTEGER,       -- length: the longest
  delay_error_ns INTEGER,     -- length: error of the clocks, the same in all
                              -- of delay_*
  queue_p50_ns INTEGER,       -- length: above the shortest, median: clocks that
                              -- differ do not matter
  queue_p99_ns INTEGER,       -- length: 99th percentile
  queue_p999_ns INTEGER,      -- length: 99.9th percentile
  queue_max_ns INTEGER,       -- length: the longest
  slowest_frame INTEGER,      -- frame at the second capture point that took longest
  lost INTEGER,               -- packets lost between the two: see unmatched;
                              -- NULL when not adjacent
  missed_to INTEGER,          -- not captured at the second capture point (or
                              -- they took another path)
  missed_from INTEGER,        -- the same of the first capture point
  open INTEGER,               -- not seen at the second, and nothing shows why
  marked INTEGER,             -- CE set between the two
  trimmed INTEGER,            -- UET: payload cut off between the two
  corrupted INTEGER,            -- ICRC right at the first, wrong at the second
  duplicated INTEGER,            -- seen twice, at the second only
  reordered INTEGER,          -- reordered between the two by packets of the
                              -- same flow and kind that the first saw later
  displaced_max INTEGER,      -- the most later packets that arrived before one
                              -- of these
  first_ns INTEGER,           -- first packet seen at both
  last_ns INTEGER,            -- last packet seen at both
  place TEXT,                 -- congestion_place.name of the output port between
                              -- the two; NULL no topology file, or not adjacent
  place_at TEXT,              -- this port, "leaf1->spine1"; unknown: the names of
                              -- the two taps
  UNIQUE(from_tap_id, to_tap_id)
);

-- One-way delays of segments: the steps of a histogram, a sixteenth of their value
-- wide at most.  By the clocks as they were corrected, so only where segment has
-- delays.
CREATE TABLE segment_delay(
  segment_id INTEGER,         -- segment.id
  from_ns INTEGER,            -- length: the step begins here
  to_ns INTEGER,              -- length: and ends there
  count INTEGER               -- packets in it
);

-- The same for each flow.
CREATE TABLE segment_flow(
  segment_id INTEGER,         -- segment.id
  flow_id INTEGER,            -- flow.id at the first capture point
  to_flow_id INTEGER,         -- flow.id at the second
  packets INTEGER,            -- as in segment, from here on
  delay_min_ns INTEGER,       -- length
  delay_p50_ns INTEGER,       -- length
  delay_mean_ns INTEGER,      -- length
  delay_p95_ns INTEGER,       -- length
  delay_p99_ns INTEGER,       -- length
  delay_p999_ns INTEGER,      -- length
  delay_max_ns INTEGER,       -- length
  lost INTEGER,               -- packets
  missed_to INTEGER,          -- packets
  missed_from INTEGER,        -- packets
  open INTEGER,               -- packets
  marked INTEGER,             -- packets
  trimmed INTEGER,            -- packets
  corrupted INTEGER,            -- packets
  duplicated INTEGER,            -- packets
  reordered INTEGER,          -- packets
  displaced_max INTEGER,      -- packets
  marked_frame INTEGER,       -- frame at the second capture point of the first marked
  reordered_frame INTEGER,    -- frame at the second capture point of the first
                              -- reordered
  PRIMARY KEY(segment_id, flow_id)
) WITHOUT ROWID;

-- A segment over time, sparse.  Packets count when seen at the first capture point,
-- those not captured there when seen at the second.
CREATE TABLE segment_bin(
  segment_id INTEGER,         -- segment.id
  start_ns INTEGER,           -- begin
  width_ns INTEGER,           -- length
  packets INTEGER,            -- as in segment, from here on
  lost INTEGER,               -- packets
  missed_to INTEGER,          -- packets
  missed_from INTEGER,        -- packets
  open INTEGER,               -- packets
  marked INTEGER,             -- packets
  trimmed INTEGER,            -- packets
  corrupted INTEGER,            -- packets
  duplicated INTEGER,            -- packets
  reordered INTEGER,          -- packets
  displaced_max INTEGER       -- packets
);

-- A packet seen at one capture point and not at the next.
CREATE TABLE unmatched(
  id INTEGER PRIMARY KEY,     -- in order of decision
  segment_id INTEGER,         -- segment.id it was lost in
  flow_id INTEGER,            -- flow.id where it was seen
  to_flow_id INTEGER,         -- flow.id where it was not seen
  ns INTEGER,                 -- when it was seen
  tap_id INTEGER,             -- tap.id where it was seen
  frame INTEGER,              -- its frame there
  before_frame INTEGER,       -- last frame of its flow at the second capture
                              -- point when it was seen at the first
  retransmit_frame INTEGER,       -- its retransmission at tap_id; NULL none seen
  psn INTEGER,                -- PSN
  kind TEXT,                  -- request, response, ack (ACK, NAK, CNP)
  verdict TEXT,               -- lost; missed (delivered: the capture at the
                              -- second capture point does not have it, or it took
                              -- another way); open
  confidence REAL,            -- 0..1
  detail TEXT                 -- the rule that decided, "M1" first
);

-- What a rank wrote of its collectives: one communicator of one file given with
-- --job-log.
CREATE TABLE job_log(
  id INTEGER PRIMARY KEY,     -- from 1
  path TEXT,                  -- the file, as it was given
  format TEXT,                -- nccl-inspector flight-recorder
  version TEXT,               -- of the format, as it says; NULL it does not
  host TEXT,                  -- as it says; NULL it does not
  communicator TEXT,          -- its name for the group of ranks
  name TEXT,                  -- what the group is for; NULL not given
  rank INTEGER,               -- of the writer in it
  ranks INTEGER,              -- in it; NULL not given
  operations INTEGER,         -- rows of collective
  skipped INTEGER,            -- records of the file that could not be used
  unknown_members INTEGER,    -- members of records that are not known
  dropped INTEGER,            -- operations beyond the first million
  address TEXT,               -- of the host, as in flow.src; NULL not known
  address_by TEXT,            -- given host topology rank: how that is known
  offset_ns INTEGER,          -- length: to add to its times; NULL not known
  error_ns INTEGER,           -- length: that may be wrong by so much
  at_ns INTEGER,              -- when offset_ns holds, by the clock of the capture
  drift_ppb INTEGER,          -- offset_ns grows by so many ns a second
  drift_low_ppb INTEGER,      -- the least that fits; NULL any that clocks have
  drift_high_ppb INTEGER,     -- the greatest; likewise
  aligned_by TEXT,            -- packets; host: another record of its host; ranks:
                              -- other ranks of its collectives; clock: taken as
                              -- it is, for packets fit, but elsewhere as well
  bursts INTEGER,             -- bursts of packets of the host looked at
  bursts_inside INTEGER,      -- of these, inside of operations with that offset
  why_not TEXT                -- why the offset is not known
);

-- One collective operation of one rank, as the job wrote it.
CREATE TABLE collective(
  id INTEGER PRIMARY KEY,     -- in the order they were read
  job_log_id INTEGER,         -- job_log.id
  seq INTEGER,                -- counts on all ranks of a communicator alike
  op TEXT,                    -- AllReduce AllGather ReduceScatter AlltoAll ...
  bytes INTEGER,              -- message size, as the form counts it
  state TEXT,                 -- completed started scheduled
  begin_ns INTEGER,           -- by the host's clock: it began not before
  end_ns INTEGER,             -- by the host's clock: it ended not after
  exec_ns INTEGER,            -- length, as reported
  busbw_bps INTEGER,          -- as reported
  first_ns INTEGER,           -- begin_ns by the capture's clock
  last_ns INTEGER,            -- end_ns by the capture's clock
  sent_first_ns INTEGER,      -- first packet the host sent in it
  got_last_ns INTEGER,        -- last data it got in it
  sent_bytes INTEGER,         -- payload of the host's packets in it
  got_bytes INTEGER,          -- payload of data to the host in it
  beside INTEGER,             -- 1: another one of its host ran at the same
                              -- time: the packets may be of either
  phase_id INTEGER            -- phase.id it lies in; NULL none
);

-- Where the time of a collective went on the rank that recorded it: what it
-- waited for at each moment, followed back from what it got or sent last, from
-- flow to flow and rank to rank, as in phase_share.  The rows of a collective
-- add up to its length.
CREATE TABLE collective_time(
  collective_id INTEGER,      -- collective.id
  job INTEGER,                -- job.id of its packets
  class TEXT,                 -- as in answer_share
  side TEXT,                  -- as in answer_share
  measured TEXT,              -- as in answer_share
  flow_id INTEGER,            -- flow.id that was stalled
  rank INTEGER,               -- job_rank.rank that was waited for; NULL none
  time_ns INTEGER             -- length
);

-- A port of a device in a file of --evidence: what others counted.
CREATE TABLE evidence_source(
  id INTEGER PRIMARY KEY,     -- in the order they were read
  path TEXT,                  -- the file, as it was given
  digest TEXT,                -- of its bytes
  kind TEXT,                  -- ethtool sysfs rdma-statistic sonic counters-db
                              -- pfcwd prometheus gnmi snmp error-log wjh
                              -- dropwatch steps slurm nccl-ras nccl-profiler
                              -- config-db mlnx-qos dcb samples unknown
  device TEXT,                -- host or switch; NULL not given
  device_by TEXT,             -- given content path: who says so
  port TEXT,                  -- as printed; NULL the whole device
  mac TEXT,                   -- MAC address of the port; NULL not given
  said_address TEXT,          -- address that the file says the port has
  address TEXT,               -- of the host, as in flow.src; NULL a switch, or
                              -- not known
  node TEXT,                  -- node.name, or the name in LLDP; NULL not known
  tap_id INTEGER,             -- tap.id on the link of the port; NULL none known
  tied_by TEXT,               -- given gid mac address name topology lldp: how
                              -- host or switch are known
  why_not TEXT,               -- why they are not
  first_ns INTEGER,           -- first reading with a time
  last_ns INTEGER,            -- last
  clock TEXT,                 -- stamps: its readings have times; before-after:
                              -- they only say which came first; NULL neither
  readings INTEGER            -- its counters, settings, lines and samples
);

-- A value of a counter, as it was read.
CREATE TABLE counter(
  id INTEGER PRIMARY KEY,     -- in the order they were read
  source_id INTEGER,          -- evidence_source.id
  name TEXT,                  -- as printed
  meaning TEXT,               -- what it counts: docs/evidence.md; NULL not known
  priority INTEGER,           -- priority or queue; NULL all of them
  at_ns INTEGER,              -- by the device's clock; NULL not given
  moment TEXT,                -- before after: the capture; NULL not given
  value INTEGER               -- in unit of counted
);

-- What a counter with a known meaning counted while the capture ran.
CREATE TABLE counted(
  id INTEGER PRIMARY KEY,     -- any order
  source_id INTEGER,          -- evidence_source.id of the last reading
  name TEXT,                  -- as printed
  meaning TEXT,               -- as counter.meaning
  unit TEXT,                  -- packets bytes ns times ppm mW
  priority INTEGER,           -- as counter.priority
  first_ns INTEGER,           -- time of the first reading; NULL not given
  last_ns INTEGER,            -- time of the last
  readings INTEGER,           -- rows of counter
  delta INTEGER,              -- counted between first and last reading; NULL
                              -- not known: one reading, or it was reset
  last_value INTEGER,         -- the last reading
  covers INTEGER              -- 1: the capture lies between first and last
                              -- reading; 0: all of it lies elsewhere; NULL not
                              -- known, or in part
);

-- A counter against the packets.
CREATE TABLE counter_check(
  id INTEGER PRIMARY KEY,     -- any order
  counted_id INTEGER,         -- counted.id
  what TEXT,                  -- what both should have seen
  counted INTEGER,            -- by the counter
  packets_min INTEGER,        -- by the packets, at least
  packets_max INTEGER,        -- at most
  verdict TEXT,               -- agrees; more, fewer: than the packets, and both
                              -- may be right; explains: completes what packets
                              -- only bound; contradicts: both cannot be right;
                              -- unused: not of this capture
  incident_id INTEGER,        -- incident.id of the losses; NULL no losses
  tap_id INTEGER,             -- tap.id whose packets; NULL several
  reason TEXT,                -- one sentence
  settle TEXT                 -- what would settle it; NULL nothing to settle
);

-- What a device is configured to: docs/evidence.md has the names.
CREATE TABLE setting(
  id INTEGER PRIMARY KEY,     -- in the order they were read
  source_id INTEGER,          -- evidence_source.id
  name TEXT,                  -- pfc watchdog dscp_queue dscp_priority strict
                              -- ecn ecn_min ecn_max xon xoff headroom speed mtu
                              -- cable cnp_interval cut_period ecmp_hash
  number INTEGER,             -- priority, queue or DSCP; NULL none
  value INTEGER               -- bytes, ns, bit/s, meters, bits, or 1 and 0
);

-- RoCE packets that a switch sampled (sFlow), or reports to have dropped; those
-- alike in one row.
CREATE TABLE sampled(
  id INTEGER PRIMARY KEY,     -- in the order they were read
  source_id INTEGER,          -- evidence_source.id
  dropped INTEGER,            -- 1: dropped; 0: a sample of forwarded packets
  src TEXT,                   -- sender
  dst TEXT,                   -- receiver
  dst_qp INTEGER,             -- queue pair it is sent to; NULL not given
  psn INTEGER,                -- PSN of the last; NULL not given
  input INTEGER,              -- interface it came in by; NULL not given
  output INTEGER,             -- interface it goes out by; NULL not given
  reason TEXT,                -- why it was dropped, as the switch says
  samples INTEGER,            -- reports, or samples
  estimated INTEGER,          -- packets that they stand for
  first_ns INTEGER,           -- when the first was reported
  last_ns INTEGER,            -- the last
  flow_id INTEGER,            -- flow.id; NULL not in the capture
  verdict TEXT,               -- of drops: explains: the packets show losses of
                              -- that flow; contradicts: they show none; unused;
                              -- NULL a sample
  lost INTEGER                -- packets of that flow lost, by the packets, at
                              -- most
);

-- Thresholds and classes, checked: by configuration where it was given, by packets
-- else.  Derived.
CREATE TABLE audit(
  id INTEGER PRIMARY KEY,     -- any order
  what TEXT,                  -- watchdog thresholds marking headroom cnp-class
                              -- pfc-priorities entropy ecmp-hash dcqcn
  verdict TEXT,               -- ok wrong note unknown
  basis TEXT,                 -- configuration packets both
  device TEXT,                -- whose; NULL several, or the fabric
  ports INTEGER,              -- ports it applies to; NULL packets
  text TEXT,                  -- one sentence, with the numbers
  action TEXT                 -- what to do; NULL nothing
);

-- An error line of a log: a completion with an error, as NCCL, UCX, perftest or
-- the kernel print it, or an event at the other end.
CREATE TABLE error_log(
  id INTEGER PRIMARY KEY,     -- in the order they were read
  source_id INTEGER,          -- evidence_source.id
  line INTEGER,               -- in the file, from 1
  ns INTEGER,                 -- by the clock of who wrote it; NULL not given
  error TEXT,                 -- as in qp_error, or flushed local_length ...
  status INTEGER,             -- enum ibv_wc_status
  responder INTEGER,          -- 1: written by the other end
  vendor INTEGER,             -- vendor's syndrome; NULL not given
  qpn INTEGER,                -- queue pair of who wrote it; NULL not given
  remote_qpn INTEGER,         -- queue pair of the other end
  address TEXT,               -- GID of who wrote it; NULL not given
  remote TEXT,                -- GID or address of the other end
  verdict TEXT,               -- agrees: a queue pair stopped for that;
                              -- contradicts; unused
  shift_ns INTEGER,           -- length: the line is later than the packets
  reason TEXT                 -- why not agrees, in a sentence
);

-- What a job, its communication library, or who runs it says of itself.
CREATE TABLE job_note(
  id INTEGER PRIMARY KEY,     -- in the order they were read
  source_id INTEGER,          -- evidence_source.id
  line INTEGER,               -- in the file, from 1; NULL no lines
  kind TEXT,                  -- step: of a training log; slurm: accounting; ras:
                              -- a rank, by NCCL RAS; requests: of a queue pair, by
                              -- NCCL's profiler
  name TEXT,                  -- job, or host; NULL not given
  state TEXT,                 -- of the job or rank, as it is called there
  number INTEGER,             -- step, Slurm's job id, or rank
  first_ns INTEGER,           -- begin; NULL not given
  last_ns INTEGER,            -- end, or when it was said
  length_ns INTEGER,          -- length: of the step
  rate REAL,                  -- tokens a second
  loss REAL,                  -- of the training
  qpn INTEGER,                -- queue pair of the sender
  count INTEGER,              -- work requests, or collectives of a rank
  bytes INTEGER,              -- of these requests
  flow_id INTEGER,            -- flow.id of the queue pair; NULL not known
  verdict TEXT,               -- agrees: with the packets; explains: what slowed
                              -- this step is in the packets; more: slow, and
                              -- nothing of it is; contradicts; unused: not of
                              -- this capture
  reason TEXT                 -- one sentence
);

-- Two results side by side: what each is made of.  This table and the other
-- compared_* are filled only where fabscope diff puts two databases together.
CREATE TABLE compared_quality(
  side TEXT,                  -- a b
  place INTEGER,              -- order
  what TEXT,                  -- length, packets, hosts, ...
  value REAL,                 -- as number; NULL when only text says it
  text TEXT                   -- as text
);

-- The KPIs of both.
CREATE TABLE compared_kpi(
  side TEXT,                  -- a b
  section TEXT,               -- as in kpi
  place INTEGER,              -- as in kpi
  name TEXT,                  -- as in kpi
  value REAL,                 -- as in kpi; counts are per second
  unit TEXT,                  -- as in kpi
  missing TEXT                -- as in kpi
);

-- The answers of both, a row for each class of their time.
CREATE TABLE compared_answer(
  side TEXT,                  -- a b
  subject TEXT,               -- the capture, or a job by its first rank
  verdict TEXT,               -- as in answer
  confidence REAL,            -- as in answer
  iterations INTEGER,         -- of the job; NULL not known
  bytes INTEGER,              -- of the jobs: payload without retransmissions
  total_ns INTEGER,           -- length: as in answer
  class TEXT,                 -- as in answer_share
  share_side TEXT,            -- answer_share.side
  ns INTEGER                  -- length: as in answer_share
);

-- The findings of both.
CREATE TABLE compared_finding(
  side TEXT,                  -- a b
  id INTEGER,                 -- finding.id
  rule TEXT,                  -- as in finding
  subject TEXT,               -- whom it is about, without what changes from run
                              -- to run
  severity TEXT,              -- as in finding
  title TEXT,                 -- as in finding
  occurrences INTEGER,           -- times it happened; NULL not counted
  cost_ns INTEGER,            -- length: as in finding
  packets INTEGER             -- of the capture
);

-- The flows of both, with data.
CREATE TABLE compared_flow(
  side TEXT,                  -- a b
  flow_id INTEGER,            -- flow.id
  transport TEXT,             -- as in flow
  src TEXT,                   -- as in flow
  dst TEXT,                   -- as in flow
  src_name TEXT,              -- host and rail, from the topology file
  dst_name TEXT,              -- host and rail, from the topology file
  number TEXT,                -- queue pairs or contexts
  nth INTEGER,                -- among the flows of that way, by number
  bytes INTEGER,              -- payload, each byte counted once
  way TEXT,                   -- from whom to whom, as both sides call it
  match TEXT,                 -- the same for a flow of a and the flow of b that
                              -- it is compared with
  how TEXT                    -- number (queue pairs), role (nth of its way)
);

-- What both measured many times: how much values vary without any difference.
CREATE TABLE compared_sample(
  side TEXT,                  -- a b
  metric TEXT,                -- what was measured
  subject TEXT,               -- of whom: a link, a job; NULL all, or flow_id
  flow_id INTEGER,            -- flow.id; NULL not of a flow
  nth INTEGER,                -- order in time; NULL in no order
  unit TEXT,                  -- of value
  better TEXT,                -- low high; NULL neither
  value REAL                  -- one iteration, part of the time, flow, ...
);

-- Results of the comparison, by metric.
CREATE TABLE compared_test(
  metric TEXT,                -- compared_sample.metric
  subject TEXT,               -- of whom; NULL all
  unit TEXT,                  -- of the medians
  a_n INTEGER,                -- values of a
  a_median REAL,              -- their median (mean, where both medians are 0)
  a_mad REAL,                 -- their median deviation from it
  b_n INTEGER,                -- values of b
  b_median REAL,              -- their median (mean, where both medians are 0)
  b_mad REAL,                 -- their median deviation from it
  tail TEXT,                  -- a b: its slowest values are far beyond all of the
                              -- other's; NULL neither
  change REAL,                -- b over a, less 1; NULL from 0
  p REAL,                     -- probability of such a difference by chance,
                              -- times the number of tests; NULL too few values
  verdict TEXT,               -- different, same, not significant, cannot tell
  better TEXT                 -- a b; NULL neither
);

-- Row limits that were reached.
CREATE TABLE row_limit(
  table_name TEXT PRIMARY KEY, -- which table
  not_stored INTEGER          -- rows that are not in it
) WITHOUT ROWID;

-- ## Written by live only; empty for files
--
-- A live database can be read while it is written (WAL).  At every refresh it
-- is as if the capture had ended then, so all tables above mean what they mean
-- for a file.  The tables below are about live itself.

-- Is live running, and does it keep up?  One row for each tap at every refresh;
-- rows older than a day go.
CREATE TABLE live_status(
  id INTEGER PRIMARY KEY,     -- in order of time
  ns INTEGER,                 -- when
  tap_id INTEGER,             -- tap.id
  state TEXT,                 -- up; down: the interface is gone or down; ended
  received INTEGER,           -- packets analyzed since live was started
  bytes INTEGER,              -- bytes of these, on the wire
  dropped_kernel INTEGER,     -- dropped since then: by the kernel, its buffer
                              -- was full; NULL it does not say
  dropped_interface INTEGER,  -- by the interface or its driver; NULL likewise
  dropped_own INTEGER,        -- by fabscope: the analysis did not keep up
  lag_ns INTEGER,             -- length: how far the analysis is behind the clock
  buffered INTEGER,           -- bytes that wait for the analysis
  refresh_ns INTEGER          -- length: what the refresh before this one took
);

-- Stretches that were analyzed without a break: flows, queue pairs and verdicts
-- begin anew with each.
CREATE TABLE live_epoch(
  id INTEGER PRIMARY KEY,     -- in order of time
  first_ns INTEGER,           -- begin
  last_ns INTEGER,            -- last refresh, or end
  why TEXT,                   -- start restart clock memory: why it began
  version TEXT,               -- of the program
  detail TEXT                 -- in words; NULL nothing to add
);

-- Log of live: interfaces that went down and came up, clock steps, full disks,
-- rows deleted.
CREATE TABLE live_log(
  id INTEGER PRIMARY KEY,     -- in order of time
  ns INTEGER,                 -- when
  level TEXT,                 -- info warning
  tap_id INTEGER,             -- tap.id when it is about one
  text TEXT                   -- one line
);

-- Times in which the capturing system dropped packets.  A loss that lies in
-- one of them is no verdict.
CREATE TABLE capture_drop(
  tap_id INTEGER,             -- tap.id
  first_ns INTEGER,           -- not before
  last_ns INTEGER,            -- not after
  packets INTEGER,            -- dropped; NULL not known
  who TEXT                    -- kernel interface own down (the interface was)
);

-- Every finding of live, ended ones included: finding has those that last.
CREATE TABLE finding_log(
  id INTEGER PRIMARY KEY,     -- in order of appearance; stays for good
  key TEXT NOT NULL UNIQUE,   -- rule and whom it concerns
  rule TEXT NOT NULL,         -- as finding.rule, and so on
  severity TEXT,              -- as last seen
  confidence REAL,            -- as last seen
  title TEXT,                 -- as last seen
  detail TEXT,                -- as last seen
  action TEXT,                -- as last seen
  tap_id INTEGER,             -- tap.id when only one
  flow_id INTEGER,            -- flow.id when only one
  first_ns INTEGER,           -- begin, the earliest reported
  last_ns INTEGER,            -- end, the latest reported
  cost_ns INTEGER,            -- length: the most reported
  evidence TEXT,              -- as last seen
  seen_first_ns INTEGER,      -- first refresh that had it
  seen_last_ns INTEGER,       -- last refresh that had it
  ended_ns INTEGER,           -- first refresh without it; NULL it lasts
  times INTEGER,              -- how often it was found anew, the first time
                              -- included
  recording_id INTEGER        -- recording.id of its packets; NULL none kept
);

-- Files of packets that live wrote.
CREATE TABLE recording(
  id INTEGER PRIMARY KEY,     -- in order of their begin
  kind TEXT,                  -- ring: of -w; finding: flight recorder
  path TEXT,                  -- its name
  first_ns INTEGER,           -- first packet
  last_ns INTEGER,            -- last packet
  packets INTEGER,            -- packets in it
  bytes INTEGER,              -- bytes of the file
  missed INTEGER,             -- packets that could not be written in time
  state TEXT                  -- open: still written; complete; gone: removed,
                              -- as by the ring's limits
);

-- Which frames of a tap a recording has: frame numbers of events count the
-- packets of a tap since live was started.
CREATE TABLE recording_tap(
  recording_id INTEGER,       -- recording.id
  tap_id INTEGER,             -- tap.id
  first_frame INTEGER,        -- frame number of its first packet
  last_frame INTEGER,         -- and of its last
  PRIMARY KEY(recording_id, tap_id)
) WITHOUT ROWID;

-- Load over days, coarse: bin has the last hour in finer steps.
CREATE TABLE history(
  scope TEXT NOT NULL,        -- tap priority
  scope_id INTEGER NOT NULL,  -- tap.id or the priority
  tap_id INTEGER NOT NULL,    -- tap.id
  start_ns INTEGER NOT NULL,  -- begin
  width_ns INTEGER,           -- length
  packets INTEGER,            -- packets in it
  bytes INTEGER,              -- bytes on the wire
  ce INTEGER,                 -- packets marked ECN CE
  ect INTEGER,                -- ECN-capable packets (ECT)
  cnp INTEGER,                -- congestion notifications
  retransmitted INTEGER,      -- packets retransmitted
  paused_ns INTEGER,          -- length: as in bin
  PRIMARY KEY(scope, scope_id, tap_id, start_ns)
) WITHOUT ROWID;

-- Rows deleted because of their age or number.
CREATE TABLE retention(
  table_name TEXT PRIMARY KEY, -- which table
  keep_ns INTEGER,            -- length: rows are kept for so long
  dropped INTEGER,            -- rows that went
  oldest_ns INTEGER           -- time of the oldest row left
) WITHOUT ROWID;

-- Up to when the rows of a table are final: the next refresh replaces later
-- ones.
CREATE TABLE live_mark(
  table_name TEXT PRIMARY KEY, -- which table
  row INTEGER                 -- last final rowid
) WITHOUT ROWID;

-- ## event.kind and event.value
--
-- | kind | what happened | count | value |
-- |---|---|---|---|
-- | loss_upstream | lost between the sender and the tap | packets | |
-- | loss_downstream | lost between the tap and the receiver | packets, at least | packets, at most |
-- | capture_missing | delivered, but the capture does not have it | packets | |
-- | unresolved_gap | missing, and nothing shows why | packets | |
-- | reorder | reordered upstream of the capture point | packets | extent: later packets that came first |
-- | mirror_duplicate | the mirror delivered one transmission twice | packets | |
-- | retransmit_nak | retransmitted after a sequence error NAK | packets | frame of the last retransmission |
-- | retransmit_timeout | retransmission timeout (RTO) | packets | frame of the last retransmission |
-- | retransmit_rnr | retransmitted after an RNR NAK | packets | frame of the last retransmission |
-- | retransmit_spurious | retransmitted though it had arrived | packets | frame of the last retransmission |
-- | retransmit_implied | READ or ATOMIC repeated because its response was skipped | packets | frame of the last retransmission |
-- | retransmit_unknown | retransmitted; the reason is not observable | packets | frame of the last retransmission |
-- | nak_seq | sequence error NAK | 1 | UET: NACK code |
-- | nak_fatal | NAK that ends the queue pair | 1 | syndrome: 0x61 invalid request, 0x62 remote access, 0x63 remote operation; UET: NACK code |
-- | rnr_nak | receiver not ready | 1 | length it asks the sender to wait; UET: NACK code |
-- | implied_nak | a response was skipped | packets | |
-- | ack_lost | the ACK was lost | 1 | |
-- | icrc_bad | corrupted upstream of the capture point: bad ICRC | packets | |
-- | cnp_unexplained | CNPs without a marked packet before them; detail has the probable cause | CNPs of that cause, the first of them here | |
-- | epoch | the queue pair number was used again | 1 | the new epoch |
-- | trimmed | UET: payload cut off by a switch | packets | bytes cut where it was seen trimmed; NACK code where the receiver said so |
-- | credit_stall | the sender waited for credit | 1 | length |
-- | nak_stall | a NAK for a packet that was only late: the sender sent nothing for so long, whatever its reason | 1 | length |
-- | duplicate | the same transmission was seen twice | packets | |
-- | response_error | UET: a response says that the operation failed | 1 | return code |
-- | outage | PSNs jump too far for a loss: a hole of the capture, or another connection | 1 | the distance |
--
-- ## finding.evidence
--
-- A JSON object.  Every member may be missing.
--
-- | member | what |
-- |---|---|
-- | frames | array of {"tap": tap.id, "frame": frame number in the file of that tap}, the costliest first |
-- | events | array of event.id |
-- | flows | array of flow.id, those that paid most first, at most 10 |
-- | numbers | object: what the sentences of the finding count |
-- | query | the command that shows more; DB stands for the database |

-- View for your own SQL: each flow, with the names of its capture point and
-- file.
CREATE VIEW v_flow AS
SELECT t.name AS tap, c.path AS capture, f.*
  FROM flow f
  LEFT JOIN tap t ON t.id = f.tap_id
  LEFT JOIN capture c ON c.id = t.capture_id;

-- View for your own SQL: each event, with its capture point and flow.
CREATE VIEW v_event AS
SELECT e.*, t.name AS tap, f.transport, f.src, f.dst, f.dst_qp, f.dpdcid
  FROM event e
  LEFT JOIN tap t ON t.id = e.tap_id
  LEFT JOIN flow f ON f.id = e.flow_id;

-- View for your own SQL: each lost packet or run of them, with its capture
-- point and flow.
CREATE VIEW v_loss AS
SELECT * FROM v_event WHERE kind IN ('loss_upstream', 'loss_downstream');

-- View for your own SQL: each message, with its flow and how long it took.
CREATE VIEW v_message AS
SELECT m.*, m.completed_ns - m.first_ns AS duration_ns, f.transport, f.src,
       f.dst, f.dst_qp, f.dpdcid
  FROM message m LEFT JOIN flow f ON f.id = m.flow_id;

-- View for your own SQL: each pause, with its capture point and length.
CREATE VIEW v_pause AS
SELECT p.*, t.name AS tap, p.last_ns - p.first_ns AS duration_ns
  FROM pause p LEFT JOIN tap t ON t.id = p.tap_id;

-- View for your own SQL: each finding, with its capture point and flow.
CREATE VIEW v_finding AS
SELECT n.*, t.name AS tap, f.transport, f.src, f.dst, f.dst_qp, f.dpdcid
  FROM finding n
  LEFT JOIN tap t ON t.id = n.tap_id
  LEFT JOIN flow f ON f.id = n.flow_id;
