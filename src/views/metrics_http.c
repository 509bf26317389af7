/* SPDX-License-Identifier: GPL-2.0-or-later
 * The metrics of a database by HTTP.  libmicrohttpd speaks the protocol.
 *
 * It forgets how long a connection has been there as soon as a byte comes, so
 * a client that sends one every few seconds would stay: the loop here looks at
 * their age and hangs up. */
#include "views/metrics_http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <microhttpd.h>

#include "store/store.h"
#include "views/metrics.h"

/* What clients may cost. */
enum {
	CONNECTIONS = 16,
	CONNECTIONS_OF_ONE = 8,
	IDLE_S = 5,    /* of a connection on which nothing happens */
	OLDEST_S = 30, /* of a request that will not end */
	ACCEPTED = 4 * CONNECTIONS, /* until the oldest are gone */
	MEMORY = 8 * 1024,          /* of a connection: its request must fit */
	QUERY_S = 5,                /* processor time of one query */
	LOOK_MS = 1000,        /* between two looks at the age of connections */
	FRESH_NS = 1000000000, /* an answer is good for so long */
};

struct client {
	int fd; /* -1: nobody */
	int64_t since_ns;
	struct in6_addr from; /* an IPv4 address in its first bytes */
	bool leaving;
};

struct metrics_http {
	struct MHD_Daemon *daemon;
	struct client clients[ACCEPTED];
	bool local; /* only this host can reach it */
	char *database;
	struct MHD_Response *answer; /* the latest */
	unsigned status;
	int64_t made_ns;
	uint16_t port;
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- answers ---- */

static struct MHD_Response *response(char *text, size_t n, const char *type)
{
	struct MHD_Response *r =
		MHD_create_response_from_buffer(n, text, MHD_RESPMEM_MUST_COPY);

	if (r)
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	return r;
}

/* The text of all metrics, for free(); NULL and |err|. */
static char *metrics_text(const char *database, size_t *n, struct err *err)
{
	struct store *s = store_open(database, err);
	char *text = NULL;
	FILE *out = s ? open_memstream(&text, n) : NULL;
	int rc = -1;

	if (out) {
		store_time_limit(s, QUERY_S);
		rc = metrics_write(s, out, err);
		if (fclose(out))
			rc = err_set(err, ERR_MEMORY, "out of memory");
	} else if (s) {
		err_set(err, ERR_MEMORY, "out of memory");
	}
	store_free(s);
	if (!rc)
		return text;
	free(text);
	return NULL;
}

static void refresh(struct metrics_http *h)
{
	struct err err = { 0 };
	struct MHD_Response *r;
	char *text;
	size_t n;

	if (h->answer && now_ns() - h->made_ns < FRESH_NS)
		return;
	text = metrics_text(h->database, &n, &err);
	if (text)
		r = response(text, n, METRICS_TYPE);
	else
		r = response(err.text, strlen(err.text), "text/plain");
	free(text);
	if (!r)
		return;
	if (h->answer)
		MHD_destroy_response(h->answer);
	h->answer = r;
	h->status = err.code ? MHD_HTTP_SERVICE_UNAVAILABLE : MHD_HTTP_OK;
	h->made_ns = now_ns();
}

static enum MHD_Result say(struct MHD_Connection *c, unsigned status,
			   const char *page)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(
		strlen(page), (char *)(uintptr_t)page, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result done = MHD_NO;

	if (r) {
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE,
					"text/html; charset=utf-8");
		done = MHD_queue_response(c, status, r);
		MHD_destroy_response(r);
	}
	return done;
}

/* A page of somebody else's, whose name was made to lead here, could read what
 * only this host may: it is known by its name. */
static bool is_ours(const struct metrics_http *h, struct MHD_Connection *c)
{
	const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND,
						       MHD_HTTP_HEADER_HOST);
	unsigned char bytes[sizeof(struct in6_addr)];
	char name[64];

	if (!h->local || !host)
		return true;
	if (*host == '[' && strchr(host, ']')) {
		size_t n = strcspn(host, "]");

		snprintf(name, sizeof name, "%.*s", (int)n - 1, host + 1);
		return inet_pton(AF_INET6, name, bytes) == 1 &&
		       (host[n + 1] == '\0' || host[n + 1] == ':');
	}
	snprintf(name, sizeof name, "%.*s", (int)strcspn(host, ":"), host);
	return !strcmp(name, "localhost") ||
	       inet_pton(AF_INET, name, bytes) == 1;
}

static enum MHD_Result handle(void *ctx, struct MHD_Connection *c,
			      const char *url, const char *method,
			      const char *version, const char *data, size_t *n,
			      void **state)
{
	static int begun;
	struct metrics_http *h = ctx;

	(void)version;
	(void)data;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return say(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (!*state || *n) {
		/* its headers are here; a body, if any, is thrown away */
		*state = &begun;
		*n = 0;
		return MHD_YES;
	}
	if (!is_ours(h, c))
		return say(c, MHD_HTTP_MISDIRECTED_REQUEST,
			   "asked for under another name\n");
	if (!strcmp(url, "/"))
		return say(c, MHD_HTTP_OK,
			   "<a href=\"metrics\">fabscope metrics</a>\n");
	if (strcmp(url, "/metrics") != 0)
		return say(c, MHD_HTTP_NOT_FOUND, "see /metrics\n");
	refresh(h);
	if (!h->answer)
		return MHD_NO;
	return MHD_queue_response(c, h->status, h->answer);
}

/* ---- clients ---- */

static struct in6_addr address_of(const struct sockaddr *a)
{
	struct in6_addr out = { 0 };

	if (a && a->sa_family == AF_INET6)
		out = ((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;
	else if (a)
		memcpy(&out,
		       &((const struct sockaddr_in *)(const void *)a)->sin_addr,
		       sizeof(struct in_addr));
	return out;
}

static bool is_from(const struct client *c, const struct client *like)
{
	return !like || !memcmp(&c->from, &like->from, sizeof c->from);
}

/* Those who are here, of all or of the address of |like|; the first that came
 * is |*oldest|. */
static int count_clients(struct metrics_http *h, const struct client *like,
			 struct client **oldest)
{
	int n = 0;

	*oldest = NULL;
	for (int i = 0; i < ACCEPTED; i++) {
		struct client *c = &h->clients[i];

		if (c->fd < 0 || c->leaving || !is_from(c, like))
			continue;
		n++;
		if (!*oldest || c->since_ns < (*oldest)->since_ns)
			*oldest = c;
	}
	return n;
}

static void send_away(struct client *c)
{
	c->leaving = true;
	shutdown(c->fd, SHUT_RDWR);
}

/* Whoever comes is served: the first that came of the same address, or of all,
 * has had its time and goes. */
static void make_room(struct metrics_http *h, const struct client *for_whom)
{
	struct client *oldest;

	if (count_clients(h, for_whom, &oldest) > CONNECTIONS_OF_ONE ||
	    count_clients(h, NULL, &oldest) > CONNECTIONS)
		send_away(oldest);
}

static void note_client(void *ctx, struct MHD_Connection *c, void **state,
			enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *fd =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	const union MHD_ConnectionInfo *from =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	struct metrics_http *h = ctx;
	struct client *client = *state;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (client)
			client->fd = -1;
		return;
	}
	for (int i = 0; i < ACCEPTED; i++) {
		if (h->clients[i].fd >= 0)
			continue;
		h->clients[i] = (struct client) {
			.fd = fd ? fd->connect_fd : -1,
			.since_ns = now_ns(),
			.from = address_of(from ? from->client_addr : NULL),
		};
		*state = &h->clients[i];
		make_room(h, &h->clients[i]);
		return;
	}
}

/* Their end is then noticed like that of others. */
static void hang_up(struct metrics_http *h)
{
	int64_t now = now_ns();

	for (int i = 0; i < ACCEPTED; i++)
		if (h->clients[i].fd >= 0 &&
		    now - h->clients[i].since_ns >
			    OLDEST_S * INT64_C(1000000000))
			send_away(&h->clients[i]);
}

void metrics_http_serve(struct metrics_http *h, int until)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd on[2] = { { .fd = info->epoll_fd, .events = POLLIN },
				{ .fd = until, .events = POLLIN } };

	while (!on[1].revents) {
		MHD_UNSIGNED_LONG_LONG ms = LOOK_MS;

		if (MHD_get_timeout(h->daemon, &ms) != MHD_YES || ms > LOOK_MS)
			ms = LOOK_MS;
		poll(on, 2, (int)ms);
		MHD_run(h->daemon);
		hang_up(h);
	}
}

/* ---- where ---- */

/* "HOST:PORT" without a name server: only addresses, and localhost. */
static int parse_where(const char *where, struct sockaddr_storage *to,
		       struct err *err)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)to;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;
	const char *colon = strrchr(where, ':');
	const char *digits = colon ? colon + 1 : where;
	char host[64] = "", *end;
	unsigned long port = strtoul(digits, &end, 10);
	size_t n = colon ? (size_t)(colon - where) : 0;
	bool bracketed = n > 1 && *where == '[' && colon[-1] == ']';

	memset(to, 0, sizeof *to);
	if (*digits < '0' || *digits > '9' || *end || port > UINT16_MAX ||
	    n >= sizeof host)
		return err_set(err, ERR_USAGE,
			       "\"%s\" is not ADDRESS:PORT, such as "
			       "127.0.0.1:9400",
			       where);
	snprintf(host, sizeof host, "%.*s", (int)(bracketed ? n - 2 : n),
		 where + bracketed);
	if (!*host || !strcmp(host, "localhost"))
		snprintf(host, sizeof host, "127.0.0.1");
	if (!bracketed && inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)port);
		return 0;
	}
	if (bracketed && inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons((uint16_t)port);
		return 0;
	}
	return err_set(err, ERR_USAGE,
		       "\"%s\" is not an address; IPv6 addresses stand in "
		       "brackets",
		       host);
}

static bool is_loopback(const struct sockaddr_storage *to)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)to;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)to;

	if (to->ss_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
	return ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

static int listening(const struct sockaddr_storage *to, const char *where,
		     uint16_t *port, struct err *err)
{
	socklen_t n = to->ss_family == AF_INET ? sizeof(struct sockaddr_in)
					       : sizeof(struct sockaddr_in6);
	union {
		struct sockaddr any;
		struct sockaddr_in v4; /* IPv6 has its port at the same place */
		struct sockaddr_in6 v6;
	} got = { .v6 = { 0 } };
	int fd = socket(to->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int yes = 1;

	if (fd < 0)
		return err_errno(err, "%s", where);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	if (bind(fd, (const struct sockaddr *)to, n) ||
	    listen(fd, CONNECTIONS) || getsockname(fd, &got.any, &n)) {
		err_errno(err, "%s: cannot listen", where);
		close(fd);
		return -1;
	}
	*port = ntohs(got.v4.sin_port);
	return fd;
}

/* ---- the whole ---- */

struct metrics_http *metrics_http_open(const char *where, const char *database,
				       struct err *err)
{
	struct metrics_http *h = calloc(1, sizeof *h);
	struct sockaddr_storage to;
	int fd;

	for (int i = 0; h && i < ACCEPTED; i++)
		h->clients[i].fd = -1;
	if (!h || !(h->database = strdup(database))) {
		err_set(err, ERR_MEMORY, "out of memory");
		goto fail;
	}
	if (parse_where(where, &to, err))
		goto fail;
	h->local = is_loopback(&to);
	fd = listening(&to, where, &h->port, err);
	if (fd < 0)
		goto fail;
	h->daemon = MHD_start_daemon(
		MHD_USE_EPOLL, 0, NULL, NULL, handle, h,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_CONNECTION,
		note_client, h, MHD_OPTION_CONNECTION_LIMIT, (unsigned)ACCEPTED,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY,
		MHD_OPTION_END);
	if (h->daemon)
		return h;
	close(fd);
	err_set(err, ERR_INTERNAL, "%s: the HTTP server does not start", where);
fail:
	metrics_http_free(h);
	return NULL;
}

uint16_t metrics_http_port(const struct metrics_http *h)
{
	return h->port;
}

void metrics_http_free(struct metrics_http *h)
{
	if (!h)
		return;
	if (h->daemon)
		MHD_stop_daemon(h->daemon);
	if (h->answer)
		MHD_destroy_response(h->answer);
	free(h->database);
	free(h);
}
