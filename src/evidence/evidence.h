/* SPDX-License-Identifier: GPL-2.0-or-later
 * What NICs, switches and exporters counted, as their own tools print it.
 *
 * A file is recognized by its content: readers.c has the table of kinds, and a
 * file each reads them.  What a printed name means is in counters.def; a file
 * of the user may add names.  Values are kept as readings: which port, which
 * counter, when.  Nothing is concluded here.
 *
 * Such files are not trusted.  Each may have EVIDENCE_FILE_MAX bytes; what is
 * beyond the limits below is skipped and counted. */
#ifndef FABSCOPE_EVIDENCE_EVIDENCE_H
#define FABSCOPE_EVIDENCE_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/names.h"

#define EVIDENCE_UNKNOWN INT64_MIN

enum {
	EVIDENCE_TEXT = 64,
	EVIDENCE_FILE_MAX = 32 << 20,
	EVIDENCE_FILES_MAX = 65536,
	EVIDENCE_SOURCES_MAX = 65536,
	EVIDENCE_READINGS_MAX = 1000000,
	EVIDENCE_ERRORS_MAX = 100000,
	EVIDENCE_SETTINGS_MAX = 1000000,
	EVIDENCE_SAMPLES_MAX = 200000,
	EVIDENCE_NOTES_MAX = 500000,
	EVIDENCE_NAMES_MAX = 4096, /* of the user */
	EVIDENCE_APART_MAX = 2,
};

/* When a reading without a time was taken. */
enum evidence_moment { MOMENT_UNKNOWN, MOMENT_BEFORE, MOMENT_AFTER };

/* How the name of the device is known. */
enum evidence_by { DEVICE_GIVEN, DEVICE_CONTENT, DEVICE_PATH };

/* One port of one device in one file; one more for each more address that it
 * has. */
struct evidence_source {
	char *path;
	const char *kind; /* name of the reader, or "unknown" */
	char device[EVIDENCE_TEXT];
	enum evidence_by device_by;
	char port[EVIDENCE_TEXT];    /* as printed; "" the whole device */
	char address[EVIDENCE_TEXT]; /* IP address of the port; "" not said */
	char mac[EVIDENCE_TEXT];     /* its MAC address; "" not said */
	uint64_t digest;             /* of the whole file */
	uint64_t readings;
};

struct evidence_reading {
	uint32_t source;
	int16_t meaning;  /* number in meanings.def; -1 nobody knows */
	int16_t priority; /* or queue; -1 none */
	enum evidence_moment moment;
	int64_t at_ns; /* EVIDENCE_UNKNOWN */
	int64_t value; /* in the unit of its meaning */
	char name[EVIDENCE_TEXT];
};

/* An error line of a log: what a completion, or an event, said. */
struct evidence_error {
	uint32_t source;
	unsigned line;  /* in its file, from 1 */
	int status;     /* enum ibv_wc_status; of the requester */
	bool responder; /* the other end wrote it */
	int64_t at_ns;  /* EVIDENCE_UNKNOWN */
	int64_t vendor, qpn, remote_qpn;                  /* -1 not said */
	char device[EVIDENCE_TEXT];                       /* "" not said */
	char local[EVIDENCE_TEXT], remote[EVIDENCE_TEXT]; /* GIDs; "" */
	char peer[EVIDENCE_TEXT]; /* address of the other host, of any NIC */
};

/* What a device is configured to: settings.def. */
enum evidence_setting_id {
#define SETTING(id, name, text) SETTING_##id,
#include "evidence/settings.def"
#undef SETTING
	EVIDENCE_SETTINGS
};

struct evidence_setting {
	uint32_t source;
	enum evidence_setting_id id;
	int number; /* priority, queue or DSCP; -1 none */
	int64_t value;
};

/* Packets of RoCE that a switch sampled, or reports to have dropped, alike. */
struct evidence_sample {
	uint32_t source;
	bool dropped;
	char src[EVIDENCE_TEXT], dst[EVIDENCE_TEXT];
	int64_t dst_qp, psn;   /* |psn| of the last; -1 not said */
	int64_t input, output; /* interfaces; 0 not said */
	int64_t first_ns, last_ns;
	uint64_t samples, estimated; /* packets that they stand for */
	char reason[EVIDENCE_TEXT];
};

/* What a job, or who runs it, says of itself. */
enum evidence_note_kind { NOTE_STEP, NOTE_SLURM, NOTE_RAS, NOTE_QP };

struct evidence_note {
	uint32_t source;
	unsigned line; /* in its file, from 1; 0 not in lines */
	enum evidence_note_kind kind;
	char name[EVIDENCE_TEXT];             /* of the job, or the host; "" */
	char state[EVIDENCE_TEXT];            /* "" */
	int64_t number;                       /* step, job or rank; -1 */
	int64_t first_ns, last_ns, length_ns; /* EVIDENCE_UNKNOWN */
	double rate, loss;                    /* tokens a second; NAN */
	int64_t qpn, count, bytes;            /* -1 not said */
};
extern const struct evidence_note evidence_no_note; /* nothing said */

struct evidence_name {
	int meaning;
	int64_t scale;
};

struct evidence {
	struct evidence_source *sources;
	size_t n_sources, room_sources;
	struct names by_port;
	struct evidence_reading *readings;
	size_t n_readings, room_readings;
	struct evidence_error *errors;
	size_t n_errors, room_errors;
	struct evidence_sample *samples;
	size_t n_samples, room_samples;
	struct names by_packet; /* of |samples| */
	struct evidence_note *notes;
	size_t n_notes, room_notes;
	struct evidence_setting *settings;
	size_t n_settings, room_settings;
	struct evidence_gid *gids; /* of which a port is known by its netdev */
	size_t n_gids, room_gids;
	struct names by_gid;
	struct names added; /* names of the user */
	struct evidence_name *add;
	size_t n_add, room_add;
	struct {
		uint64_t device, file;
	} apart[EVIDENCE_APART_MAX]; /* files that are read as something else */
	size_t n_apart;
	size_t files;
	size_t strange;   /* of these, in no known form */
	uint64_t skipped; /* values and files that could not be used */
	uint64_t dropped; /* beyond one of the limits */
};

/* What a counter may mean: meanings.def. */
struct evidence_meaning {
	const char *name;
	const char *unit; /* packets bytes ns times ppm mW */
	const char *text;
	bool gauge; /* what is, not what was counted */
};
const struct evidence_meaning *evidence_meaning(int number); /* NULL: -1 */
/* Is it of the device itself, and of none of its ports? */
bool evidence_of_device(int number);

const char *evidence_setting_name(enum evidence_setting_id id);

/* The name of a completion error, in the words of table error_log; NULL. */
const char *evidence_error_name(int status);

struct evidence *evidence_new(void);    /* NULL without memory */
void evidence_free(struct evidence *e); /* NULL is fine */

/* Adds the lines "NAME MEANING [FACTOR]" of a file to the names that are known;
 * '#' begins comments. */
int evidence_names(struct evidence *e, const char *path, struct err *err);

/* |path| is read as something else: folders that have it are read without. */
void evidence_apart(struct evidence *e, const char *path);

/* Adds what is in |path|, a file or a folder.  |device|: the host or switch, or
 * NULL.  -1 and |err|: it cannot be read, or holds nothing of a known kind. */
int evidence_read(struct evidence *e, const char *path, const char *device,
		  struct err *err);

/* The same of the |n| bytes of |text|, which a 0 follows and which is changed;
 * |path| is for names.  Returns how many readings it has. */
uint64_t evidence_read_text(struct evidence *e, const char *path,
			    const char *device, char *text, size_t n);

#endif
