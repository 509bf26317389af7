/* SPDX-License-Identifier: GPL-2.0-or-later
 * IPFIX whose templates are announced (RFC 7011), of which are read
 *	packets that were dropped: forwardingStatus (RFC 7270), or
 *	droppedPacketDeltaCount (IANA, IPFIX information elements), with the
 *	addresses and ports of the flow or a section of the packet
 *	packets that were sampled: PSAMP (RFC 5477), a section of each, and in
 *	records of options one of how many each selector takes
 *	IFA as a switch exports it: elements of its operator, known by their
 *	shape, headers of 8 bytes, the stack and the packet (reference
 *	telemetry 1.8)
 * A capture may begin before the first template: see evidence_read_text(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/addr.h"
#include "evidence/samples.h"

enum {
	VERSION = 10,
	TEMPLATES = 2, /* numbers of sets */
	OPTIONS = 3,
	DATA_FIRST = 256,
	VARIABLE = UINT16_MAX,
	FIELDS_MAX = 64,
	TEMPLATES_MAX = 1024,
	SELECTORS_MAX = 1024,
	COUNT_MOST = 1 << 30, /* of packets that a record stands for */
	ROCE_PORT = 4791,
	UDP = 17,
	IFA_HEADERS = 8,
	/* An entry of XGS chips: name space 4 bits, device 20, TTL 8; 32 more;
	 * egress port 16, ingress port 16; ... */
	IFA_ENTRY = 32,
	IFA_PORTS = 8,
	IFA_HOPS_SHOWN = 8,
};

/* From 1900, where NTP begins, to 1970; its seconds begin anew in 2036. */
#define NTP_S_TO_1970 INT64_C(2208988800)
#define NTP_ERA_S     (INT64_C(1) << 32)
#define NS_PER_S      INT64_C(1000000000)
#define NS_PER_MS     INT64_C(1000000)

/* Elements that are read (IANA, IPFIX information elements). */
enum element {
	PACKETS = 2,
	PROTOCOL = 4,
	INPUT = 10,
	DESTINATION_PORT = 11,
	SOURCE_V4 = 8,
	DESTINATION_V4 = 12,
	OUTPUT = 14,
	END_UPTIME = 21,
	START_UPTIME = 22,
	SOURCE_V6 = 27,
	DESTINATION_V6 = 28,
	SAMPLING_INTERVAL = 34,
	SAMPLER = 48,
	RANDOM_INTERVAL = 50,
	STATUS = 89,
	DROPPED = 133,
	START_SECONDS = 150,
	END_SECONDS = 151,
	START_MS = 152,
	END_MS = 153,
	START_NTP_US = 154,
	END_NTP_US = 155,
	START_NTP_NS = 156,
	END_NTP_NS = 157,
	START_DELTA_US = 158,
	END_DELTA_US = 159,
	SYSTEM_INIT_MS = 160,
	UDP_DESTINATION = 181,
	PHYSICAL_INPUT = 252,
	PHYSICAL_OUTPUT = 253,
	SELECTOR = 302,
	PACKET_INTERVAL = 305,
	PACKET_SPACE = 306,
	SAMPLE_SIZE = 309,
	SAMPLE_POPULATION = 310,
	IP_SECTION = 313,
	FRAME_SECTION = 315,
	OBSERVED_SECONDS = 322,
	OBSERVED_MS = 323,
	OBSERVED_NTP_US = 324,
	OBSERVED_NTP_NS = 325,
	ENTERPRISE = 0x8000,
};

struct template
{
	uint16_t n;
	bool options;
	struct {
		uint16_t element, size;
	} field[FIELDS_MAX];
};

struct ipfix {
	struct names by_id;
	struct template *template;
	size_t n, room;
	struct names one_in; /* by exporter, domain and selector */
	size_t n_one_in;
	bool learning; /* templates only */
};

struct ipfix *ipfix_new(void)
{
	return calloc(1, sizeof(struct ipfix));
}

void ipfix_free(struct ipfix *x)
{
	if (!x)
		return;
	names_fini(&x->by_id);
	names_fini(&x->one_in);
	free(x->template);
	free(x);
}

void ipfix_learn(struct ipfix *x, bool learning)
{
	if (x)
		x->learning = learning;
}

/* ---- templates ---- */

/* Each exporter numbers them, in each of its domains. */
static void template_key(char key[static 2 * EVIDENCE_TEXT],
			 const struct datagram *d, uint64_t domain, uint64_t id)
{
	snprintf(key, 2 * EVIDENCE_TEXT, "%s %llu %llu", d->src,
		 (unsigned long long)domain, (unsigned long long)id);
}

static struct template *find(struct ipfix *x, const char *key)
{
	size_t at = names_find(&x->by_id, key);

	return at == NAMES_NONE ? NULL : &x->template[at];
}

static void keep(struct ipfix *x, const char *key, const struct template *t)
{
	struct template *old = find(x, key);

	if (old) {
		*old = *t;
		return;
	}
	if (x->n == TEMPLATES_MAX ||
	    !evidence_grow((void **)&x->template, x->n, &x->room, sizeof *t) ||
	    !names_add(&x->by_id, key, x->n))
		return;
	x->template[x->n++] = *t;
}

/* Bytes that a record has at least; 0: there can be no such template.  What
 * takes no bytes would cost time for nothing. */
static size_t least_size(const struct template *t)
{
	size_t n = 0;

	for (unsigned i = 0; i < t->n; i++) {
		if (!t->field[i].size)
			return 0;
		n += t->field[i].size == VARIABLE ? 1 : t->field[i].size;
	}
	return n;
}

/* Those of options say of how many of their fields all is. */
static void read_templates(struct ipfix *x, const struct datagram *d,
			   uint64_t domain, struct bytes o, bool options)
{
	char key[2 * EVIDENCE_TEXT];
	uint64_t id, n, element, size;

	while (bytes_number(&o, 2, &id) && bytes_number(&o, 2, &n)) {
		struct template t = { .options = options };

		if (options && n && !bytes_skip(&o, 2))
			return;
		for (; n; n--) {
			if (!bytes_number(&o, 2, &element) ||
			    !bytes_number(&o, 2, &size) ||
			    ((element & ENTERPRISE) && !bytes_skip(&o, 4)))
				return;
			if (t.n == FIELDS_MAX)
				return;
			t.field[t.n].element = (uint16_t)element;
			t.field[t.n++].size = (uint16_t)size;
		}
		template_key(key, d, domain, id);
		if (id >= DATA_FIRST && least_size(&t))
			keep(x, key, &t);
	}
}

/* ---- records ---- */

struct record {
	uint64_t input, output, port, protocol, status, dropped, packets;
	uint64_t interval, space, size, population, one_in, selector;
	char src[EVIDENCE_TEXT], dst[EVIDENCE_TEXT];
	int64_t ns, within; /* it was |within| after |ns|: whole units only */
	int64_t first_ns;   /* its flow began */
	uint64_t init_ms, up_first_ms,
		up_last_ms;     /* the same since it started */
	struct bytes frame, ip; /* |at| is NULL: not in it */
	struct bytes own[3];    /* the first of the operator's elements */
	unsigned n_own;
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool take_field(struct bytes *o, size_t size, struct bytes *value)
{
	uint64_t n = size;

	if (size == VARIABLE && (!bytes_number(o, 1, &n) ||
				 (n == UINT8_MAX && !bytes_number(o, 2, &n))))
		return false;
	return bytes_take(o, n, value);
}

static void address(char to[static EVIDENCE_TEXT], struct bytes value)
{
	char text[ADDR_TEXT];

	if (value.n == 4)
		text_keep(to, addr_text(addr_from_v4(value.at), text));
	else if (value.n == 16)
		text_keep(to, addr_text(addr_from_v6(value.at), text));
}

/* A time of NTP: seconds since 1900 and a fraction of 32 bits. */
static int64_t of_ntp(uint64_t value)
{
	int64_t s = (int64_t)(value >> 32) - NTP_S_TO_1970;
	uint64_t ns = (value & UINT32_MAX) * 1000000000 >> 32;

	return (s < 0 ? s + NTP_ERA_S : s) * 1000000000 + (int64_t)ns;
}

static int64_t of_units(uint64_t value, int64_t unit)
{
	return value < (uint64_t)(INT64_MAX / unit) ? (int64_t)value * unit
						    : EVIDENCE_UNKNOWN;
}

static void take_time(struct record *r, uint64_t value, int64_t unit)
{
	r->ns = of_units(value, unit);
	r->within = r->ns == EVIDENCE_UNKNOWN ? 0 : unit - 1;
}

static void take_exact(struct record *r, int64_t ns)
{
	r->ns = ns;
	r->within = 0;
}

/* When: of the packet, or of the first and last of a flow.  |export_ns| is when
 * the message was sent. */
static bool take_when(struct record *r, unsigned element, uint64_t value,
		      int64_t export_ns)
{
	switch (element) {
	case START_SECONDS:
		r->first_ns = of_units(value, NS_PER_S);
		return true;
	case START_MS:
		r->first_ns = of_units(value, NS_PER_MS);
		return true;
	case START_NTP_US:
	case START_NTP_NS:
		r->first_ns = of_ntp(value);
		return true;
	case START_DELTA_US:
		if (value < UINT32_MAX)
			r->first_ns = export_ns - (int64_t)value * 1000;
		return true;
	case END_SECONDS:
	case OBSERVED_SECONDS:
		take_time(r, value, NS_PER_S);
		return true;
	case END_MS:
	case OBSERVED_MS:
		take_time(r, value, NS_PER_MS);
		return true;
	case END_NTP_US:
	case END_NTP_NS:
	case OBSERVED_NTP_US:
	case OBSERVED_NTP_NS:
		take_exact(r, of_ntp(value));
		return true;
	case END_DELTA_US:
		/* the message has whole seconds */
		if (value < UINT32_MAX) {
			r->ns = export_ns - (int64_t)value * 1000;
			r->within = NS_PER_S - 1;
		}
		return true;
	case SYSTEM_INIT_MS:
		r->init_ms = value;
		return true;
	case START_UPTIME:
		r->up_first_ms = value;
		return true;
	case END_UPTIME:
		r->up_last_ms = value;
		return true;
	default:
		return false;
	}
}

/* Times since the exporter started, when all of the record is known. */
static void take_uptimes(struct record *r)
{
	if (!r->init_ms || r->init_ms > INT64_MAX / (2 * NS_PER_MS))
		return;
	if (r->up_last_ms && r->up_last_ms <= UINT32_MAX)
		take_time(r, r->init_ms + r->up_last_ms, NS_PER_MS);
	if (r->up_first_ms && r->up_first_ms <= UINT32_MAX)
		r->first_ns = of_units(r->init_ms + r->up_first_ms, NS_PER_MS);
}

/* Where the number of |element| belongs. */
static uint64_t *number_of(struct record *r, unsigned element)
{
	switch (element) {
	case PACKETS:
		return &r->packets;
	case PROTOCOL:
		return &r->protocol;
	case INPUT:
	case PHYSICAL_INPUT:
		return &r->input;
	case OUTPUT:
	case PHYSICAL_OUTPUT:
		return &r->output;
	case DESTINATION_PORT:
	case UDP_DESTINATION:
		return &r->port;
	case STATUS:
		return &r->status;
	case DROPPED:
		return &r->dropped;
	case SELECTOR:
	case SAMPLER:
		return &r->selector;
	case SAMPLING_INTERVAL:
	case RANDOM_INTERVAL:
		return &r->one_in;
	case PACKET_INTERVAL:
		return &r->interval;
	case PACKET_SPACE:
		return &r->space;
	case SAMPLE_SIZE:
		return &r->size;
	case SAMPLE_POPULATION:
		return &r->population;
	default:
		return NULL;
	}
}

static void take_number(struct record *r, unsigned element, uint64_t value,
			int64_t export_ns)
{
	uint64_t *to = number_of(r, element);

	if (to)
		*to = value;
	else
		take_when(r, element, value, export_ns);
}

static void take_element(struct record *r, unsigned element, struct bytes value,
			 int64_t export_ns)
{
	uint64_t n;

	if (element & ENTERPRISE) {
		if (r->n_own < 3)
			r->own[r->n_own] = value;
		r->n_own++;
		return;
	}
	switch (element) {
	case SOURCE_V4:
	case SOURCE_V6:
		address(r->src, value);
		break;
	case DESTINATION_V4:
	case DESTINATION_V6:
		address(r->dst, value);
		break;
	case IP_SECTION:
		r->ip = value;
		break;
	case FRAME_SECTION:
		r->frame = value;
		break;
	default:
		if (value.n && value.n <= 8 &&
		    bytes_number(&value, (unsigned)value.n, &n))
			take_number(r, element, n, export_ns);
	}
}

static bool take_record(const struct template *t, struct bytes *o,
			int64_t export_ns, struct record *r)
{
	struct bytes value;

	*r = (struct record) { .ns = EVIDENCE_UNKNOWN,
			       .first_ns = EVIDENCE_UNKNOWN };
	for (unsigned i = 0; i < t->n; i++) {
		if (!take_field(o, t->field[i].size, &value))
			return false;
		take_element(r, t->field[i].element, value, export_ns);
	}
	take_uptimes(r);
	return true;
}

/* One of how many: by the record, 0 where it does not say. */
static uint64_t one_in(const struct record *r)
{
	if (r->interval)
		return 1 + least(r->space, COUNT_MOST) / r->interval;
	if (r->size && r->population)
		return least(r->population, COUNT_MOST) / r->size;
	return least(r->one_in, COUNT_MOST);
}

/* Selectors are those of a domain of an exporter; what is said of none of them
 * holds for all. */
static void selector_key(char key[static 2 * EVIDENCE_TEXT],
			 const struct datagram *d, uint64_t domain,
			 uint64_t selector)
{
	snprintf(key, 2 * EVIDENCE_TEXT, "%s %llu %llu", d->src,
		 (unsigned long long)domain, (unsigned long long)selector);
}

static void keep_selector(struct ipfix *x, const struct datagram *d,
			  uint64_t domain, const struct record *r)
{
	char key[2 * EVIDENCE_TEXT];

	selector_key(key, d, domain, r->selector);
	if (one_in(r) && x->n_one_in < SELECTORS_MAX &&
	    names_find(&x->one_in, key) == NAMES_NONE)
		x->n_one_in += names_add(&x->one_in, key, one_in(r));
}

static uint64_t one_in_by_options(struct ipfix *x, const struct datagram *d,
				  uint64_t domain, const struct record *r)
{
	char key[2 * EVIDENCE_TEXT];
	size_t n;

	selector_key(key, d, domain, r->selector);
	n = names_find(&x->one_in, key);
	if (n == NAMES_NONE) {
		selector_key(key, d, domain, 0);
		n = names_find(&x->one_in, key);
	}
	return n == NAMES_NONE ? 1 : n;
}

/* ---- what they say ---- */

/* Forwarding status 128 to 191: dropped (RFC 7270, 4.12). */
static const char *status_text(uint64_t status)
{
	static const char *const texts[] = {
		"dropped",
		"dropped: ACL deny",
		"dropped: ACL drop",
		"dropped: unroutable",
		"dropped: adjacency",
		"dropped: fragmentation and DF set",
		"dropped: bad header checksum",
		"dropped: bad total length",
		"dropped: bad header length",
		"dropped: bad TTL",
		"dropped: policer",
		"dropped: WRED",
		"dropped: RPF",
		"dropped: for us",
		"dropped: bad output interface",
		"dropped: hardware",
	};

	return status - 128 < sizeof texts / sizeof *texts ? texts[status - 128]
							   : texts[0];
}

static bool is_dropped(const struct record *r)
{
	return r->status >> 6 == 2 || r->dropped;
}

/* Whose packet it is: by a section of it, else by the flow's addresses. */
static bool is_roce(const struct record *r, struct evidence_sample *s)
{
	s->dst_qp = s->psn = -1;
	if (r->frame.at && sampled_packet(r->frame, SAMPLED_FRAME, 0, s))
		return true;
	if (r->ip.at && sampled_packet(r->ip, SAMPLED_IP, 0, s))
		return true;
	if (r->frame.at || r->ip.at || r->port != ROCE_PORT || !*r->src ||
	    !*r->dst || (r->protocol && r->protocol != UDP))
		return false;
	text_keep(s->src, r->src);
	text_keep(s->dst, r->dst);
	return true;
}

static void put(struct evidence_part *part, const struct datagram *d,
		const struct record *r, struct evidence_sample *s)
{
	char port[32];
	const struct evidence_of of = {
		.device = d->src, .port = port, .at_ns = d->ns, .priority = -1
	};

	snprintf(port, sizeof port, "ifIndex %llu",
		 (unsigned long long)(r->output ? r->output : r->input));
	s->input = (int64_t)(r->input & UINT32_MAX);
	s->output = (int64_t)(r->output & UINT32_MAX);
	s->first_ns = r->ns != EVIDENCE_UNKNOWN ? r->ns : d->ns;
	s->last_ns = s->first_ns + r->within;
	/* dropped at any time of the flow */
	if (s->dropped && s->dst_qp < 0 && r->first_ns != EVIDENCE_UNKNOWN)
		s->first_ns =
			r->first_ns < s->first_ns ? r->first_ns : s->first_ns;
	put_sample(part, &of, s);
}

/* A flow that was dropped, a packet of it, or a packet that was sampled. */
static void put_packet(struct evidence_part *part, const struct datagram *d,
		       uint64_t domain, const struct record *r)
{
	struct evidence_sample s = { .dropped = is_dropped(r), .samples = 1 };
	uint64_t n = r->dropped ? r->dropped : r->packets;

	/* a flow that was forwarded is no sample */
	if (!is_roce(r, &s) || (!s.dropped && s.dst_qp < 0))
		return;
	s.estimated = 1;
	if (s.dropped && n)
		s.samples = s.estimated = least(n, COUNT_MOST);
	else if (!s.dropped && one_in(r))
		s.estimated = one_in(r);
	else if (!s.dropped)
		s.estimated = one_in_by_options(part->ipfix, d, domain, r);
	if (s.dropped)
		text_keep(s.reason, status_text(r->status));
	put(part, d, r, &s);
}

/* The newest entry stands first; shown is the path from its begin. */
static void ifa_path(char to[static EVIDENCE_TEXT], struct bytes stack)
{
	size_t n = stack.n / IFA_ENTRY, used;

	used = (size_t)snprintf(to, EVIDENCE_TEXT, "IFA ");
	for (size_t i = n; i-- > 0 && n - i <= IFA_HOPS_SHOWN;) {
		const uint8_t *p = stack.at + i * IFA_ENTRY;
		unsigned device = (p[0] & 15u) << 16 | p[1] << 8 | p[2];

		if (used >= EVIDENCE_TEXT)
			break;
		used += (size_t)snprintf(to + used, EVIDENCE_TEXT - used,
					 "%s%u", i + 1 < n ? ">" : "", device);
	}
	if (n > IFA_HOPS_SHOWN && used + 3 < EVIDENCE_TEXT)
		snprintf(to + used, EVIDENCE_TEXT - used, ">..");
}

static bool is_ifa(const struct template *t, const struct record *r)
{
	return t->n == 3 && r->n_own == 3 && r->own[0].n == IFA_HEADERS &&
	       t->field[1].size == VARIABLE && t->field[2].size == VARIABLE &&
	       r->own[0].at[0] >> 4 == 2 && r->own[1].n &&
	       r->own[1].n % IFA_ENTRY == 0;
}

static void put_ifa(struct evidence_part *part, const struct datagram *d,
		    struct record *r)
{
	struct evidence_sample s = { .samples = 1, .estimated = 1 };
	const uint8_t *ports;

	if (!sampled_packet(r->own[2], SAMPLED_FRAME, 0, &s))
		return;
	ports = r->own[1].at + IFA_PORTS;
	r->output = ports[0] << 8 | ports[1];
	r->input = ports[2] << 8 | ports[3];
	ifa_path(s.reason, r->own[1]);
	put(part, d, r, &s);
}

/* A message as its header says. */
struct message {
	const struct datagram *d;
	uint64_t domain;
	int64_t export_ns;
};

static void read_records(struct evidence_part *part, const struct message *m,
			 const struct template *t, struct bytes o)
{
	const size_t least = least_size(t);
	struct record r;

	/* what is left over is padding */
	while (o.n >= least && take_record(t, &o, m->export_ns, &r)) {
		if (t->options)
			keep_selector(part->ipfix, m->d, m->domain, &r);
		else if (part->ipfix->learning)
			return;
		else if (is_ifa(t, &r))
			put_ifa(part, m->d, &r);
		else
			put_packet(part, m->d, m->domain, &r);
	}
}

bool ipfix_message(struct evidence_part *part, const struct datagram *d)
{
	struct ipfix *x = part->ipfix;
	struct bytes o = d->payload, body;
	struct message m = { .d = d };
	char key[2 * EVIDENCE_TEXT];
	uint64_t version, length, seconds, set, size;
	bool known = false;

	if (!x || !bytes_number(&o, 2, &version) || version != VERSION ||
	    !bytes_number(&o, 2, &length) || !bytes_number(&o, 4, &seconds) ||
	    !bytes_skip(&o, 4) || !bytes_number(&o, 4, &m.domain))
		return false;
	m.export_ns = (int64_t)seconds * NS_PER_S;
	while (bytes_number(&o, 2, &set) && bytes_number(&o, 2, &size) &&
	       size >= 4 && bytes_take(&o, size - 4, &body)) {
		const struct template *t = NULL;

		if (set == TEMPLATES || set == OPTIONS) {
			read_templates(x, d, m.domain, body, set == OPTIONS);
			known = true;
		} else if (set >= DATA_FIRST) {
			template_key(key, d, m.domain, set);
			t = find(x, key);
		}
		known |= t != NULL;
		if (t)
			read_records(part, &m, t, body);
	}
	return known || x->learning;
}
