/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of this folder share. */
#ifndef FABSCOPE_EVIDENCE_EVIDENCE_INT_H
#define FABSCOPE_EVIDENCE_EVIDENCE_INT_H

#include <stdbool.h>

#include <jansson.h>

#include "evidence/evidence.h"

/* A file, or the part of it below one header line
 *	# host=NAME port=NAME address=IP time=SECONDS moment=before
 * of which every member may be missing. */
struct evidence_part {
	struct evidence *evidence;
	const char *path;
	const char *kind;
	char device[EVIDENCE_TEXT], port[EVIDENCE_TEXT], address[EVIDENCE_TEXT];
	enum evidence_by device_by;
	enum evidence_moment moment;
	int64_t at_ns;
	unsigned line;   /* of the file before it */
	uint64_t digest; /* of the file */
	uint64_t readings;
	struct ipfix *ipfix; /* templates announced in it; NULL: none */
};

/* What a value is of; members that are NULL or unknown are those of the part.
 */
struct evidence_of {
	const char *device, *port;
	int64_t at_ns; /* EVIDENCE_UNKNOWN */
	int priority;  /* -1; what the name says goes before */
};

#define OF_PORT(name)           \
	((struct evidence_of) { \
		.port = (name), .at_ns = EVIDENCE_UNKNOWN, .priority = -1 })

/* One kind of file.  |read_text| gets the text, which it may change, or
 * |read_json| each of its documents; both return false when it is another
 * kind, and then have taken and changed nothing. */
struct evidence_reader {
	const char *kind;
	bool (*read_text)(struct evidence_part *part, char *text);
	bool (*read_json)(struct evidence_part *part, json_t *document);
	bool among_others; /* other kinds may be in the text as well, which
			    * this reader does not change */
};
extern const struct evidence_reader evidence_readers[]; /* ends with NULL */

bool read_config_db(struct evidence_part *part, json_t *document);
bool read_counters_db(struct evidence_part *part, json_t *document);
bool read_errors(struct evidence_part *part, char *text);
bool read_dropwatch(struct evidence_part *part, char *text);
bool read_ethtool(struct evidence_part *part, char *text);
bool read_gnmi(struct evidence_part *part, json_t *document);
bool read_dcb(struct evidence_part *part, char *text);
bool read_dcb_json(struct evidence_part *part, json_t *document);
bool read_mlnx_qos(struct evidence_part *part, char *text);
bool read_profiler(struct evidence_part *part, json_t *document);
bool read_ras(struct evidence_part *part, json_t *document);
bool read_pfcwd(struct evidence_part *part, char *text);
bool read_pfcwd_json(struct evidence_part *part, json_t *document);
bool read_prometheus(struct evidence_part *part, char *text);
bool read_prometheus_json(struct evidence_part *part, json_t *document);
bool read_rdma(struct evidence_part *part, char *text);
bool read_rdma_json(struct evidence_part *part, json_t *document);
bool read_slurm(struct evidence_part *part, char *text);
bool read_steps(struct evidence_part *part, char *text);
bool read_snmp(struct evidence_part *part, char *text);
bool read_sonic(struct evidence_part *part, json_t *document);
bool read_pfcstat(struct evidence_part *part, char *text);
bool read_sysfs(struct evidence_part *part, char *text);
bool read_watermark(struct evidence_part *part, char *text);
bool read_wjh(struct evidence_part *part, char *text);

/* Keeps a RoCE packet that was sampled or dropped; alike ones are counted. */
void put_sample(struct evidence_part *part, const struct evidence_of *of,
		const struct evidence_sample *sample);
/* Keeps what a job says; |n->source| is filled in. */
void put_note(struct evidence_part *part, const struct evidence_note *n);

/* "…/infiniband/DEVICE/ports/N/counters/NAME" with its |value|, or a GID, or
 * the same of /sys/class/net: false when the path is none of these. */
bool sysfs_value(struct evidence_part *part, const char *path,
		 const char *value);

/* Takes device and moment from the first |n| bytes of the path of |part|. */
void name_of_path(struct evidence_part *part, size_t n);

/* Keeps a reading.  A text that is no number is none, and counted unless it
 * says so ("N/A", "-"). */
void put_value(struct evidence_part *part, const struct evidence_of *of,
	       const char *name, int64_t value);
void put_text(struct evidence_part *part, const struct evidence_of *of,
	      const char *name, const char *value);
void put_json(struct evidence_part *part, const struct evidence_of *of,
	      const char *name, const json_t *value);
/* What a file says of a port besides counters; NULL is nothing. */
void put_address(struct evidence_part *part, const struct evidence_of *of,
		 const char *address, const char *mac);

/* What a file says of GID |index| of a port of RDMA: its address, or its
 * network interface, which then has that address as well; NULL is nothing. */
void put_gid(struct evidence_part *part, const struct evidence_of *of,
	     const char *index, const char *address, const char *netdev);

/* Keeps an error line; |e->source| is filled in. */
void put_error(struct evidence_part *part, const struct evidence_error *e);

/* Keeps what a device is configured to. */
void put_setting(struct evidence_part *part, const struct evidence_of *of,
		 enum evidence_setting_id id, int number, int64_t value);

/* The meaning of |name|, -1: nobody knows.  |*priority| is set when the name
 * has one. */
int meaning_of(struct evidence *e, const char *name, int64_t *scale,
	       int *priority);

/* Numbers as tools print them, "1,234", "12", "0x1f", "1.5e+09", so many times.
 * False: it is none, or does not fit. */
bool value_parse(const char *text, int64_t scale, int64_t *value);
bool value_real(double real, int64_t scale, int64_t *value);
/* A small number: 0 where there is none, NUMBER_MOST where it is larger. */
enum { NUMBER_MOST = 100000000 };
int value_small(const char *text);
/* Seconds with a fraction, or "2026-11-23T21:00:00.5Z"; EVIDENCE_UNKNOWN. */
int64_t value_time(const char *text);
int64_t value_seconds(double seconds);
/* The same, or "Mon Nov 23 21:00:00 2026"; seconds only since the epoch. */
int64_t value_log_time(const char *text);

/* The same near the begin of a line of a log, behind what a launcher puts in
 * front ("3: ", "[rank3]:", "[1,3]<stderr>:"); |*end| is behind it, or
 * |line|. */
int64_t value_line_time(const char *line, const char **end);

/* Kind of a file that no reader knows. */
#define EVIDENCE_UNKNOWN_KIND "unknown"

/* What |*text| of |path| expands to, in its place, where it is compressed.
 * -1, and |err|: it is corrupted or too large. */
int evidence_unpack(char **text, size_t *n, const char *path, struct err *err);

/* Room in the list |*at| of |n| for one more; it doubles, so that lists take
 * linear time also where realloc() always copies.  False without memory. */
bool evidence_grow(void **at, size_t n, size_t *room, size_t size);

/* Copies, as far as there is room, not inside of a character. */
void text_keep(char to[static EVIDENCE_TEXT], const char *from);
/* Cuts the next line off |*text|, without blanks around it; NULL: no more. */
char *text_line(char **text);
/* The same with blanks at its begin. */
char *text_line_raw(char **text);
char *text_trim(char *text);

#endif
