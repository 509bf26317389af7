/* SPDX-License-Identifier: GPL-2.0-or-later
 * What was given up cannot be done: tried in a process of its own.  What the
 * report says is not in force is not tried. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/sandbox.h"

static char mine[] = "sandbox-mine-XXXXXX";
static char others[] = "sandbox-others-XXXXXX";

static int begin(void **state)
{
	(void)state;
	return mkdtemp(mine) && mkdtemp(others) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	return rmdir(mine) || rmdir(others) ? -1 : 0;
}

/* 0, or why it cannot make a file there. */
static int makes_file(const char *folder)
{
	char path[64];
	int fd, why;

	snprintf(path, sizeof path, "%s/file", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	why = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	unlink(path);
	return why;
}

static int reads_file(void)
{
	int fd = open("/proc/self/status", O_RDONLY);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* Each try has a letter: those of what went otherwise are told. */
static void told(char *out, char letter, bool right)
{
	if (!right)
		strncat(out, (char[]) { letter, 0 }, 2);
}

static void try_calls(const struct sandbox_report *r, char *wrong)
{
	char *const argv[] = { NULL };

	if (!strstr(r->text, "seccomp: in force"))
		return;
	told(wrong, 'x', execve("/bin/true", argv, argv) && errno == EPERM);
	told(wrong, 'p', ptrace(PTRACE_TRACEME, 0, 0, 0) < 0 && errno == EPERM);
	told(wrong, 'c', chroot(".") && errno == EPERM);
}

static bool no_socket(void)
{
	return socket(AF_INET, SOCK_DGRAM, 0) < 0 && errno == EPERM;
}

static bool no_fork(void)
{
	return fork() < 0 && errno == EPERM;
}

static void *nothing(void *ctx)
{
	return ctx;
}

static bool has_threads(void)
{
	pthread_t t;

	return !pthread_create(&t, NULL, nothing, NULL) &&
	       !pthread_join(t, NULL);
}

/* Root keeps a capability only over what is not its own. */
static const char *try_with(unsigned needs, char *wrong)
{
	static struct sandbox_report r;
	struct sandbox s = { .needs = needs };

	sandbox_allow(&s, mine, SANDBOX_WRITES);
	sandbox_allow(&s, "/sys/class/net", SANDBOX_READS);
	sandbox_enter(&s, &r);
	sandbox_fini(&s);
	told(wrong, 'r', !reads_file());
	told(wrong, 't', has_threads());
	told(wrong, 'w', !makes_file(mine) || !(needs & SANDBOX_FILES));
	if (strstr(r.text, "landlock: in force")) {
		told(wrong, 'o', makes_file(others) == EACCES);
		told(wrong, 'e', open("/etc/passwd", O_RDONLY) < 0);
	}
	if (strstr(r.text, "seccomp: in force")) {
		told(wrong, 's',
		     no_socket() ==
			     !(needs & (SANDBOX_CAPTURE | SANDBOX_RESOLVE)));
		told(wrong, 'f', no_fork() || needs & SANDBOX_PROCESSES);
	}
	try_calls(&r, wrong);
	return r.text;
}

static void try_command(char *wrong)
{
	const char *says = try_with(SANDBOX_FILES, wrong);

	told(wrong, 'n', strstr(says, "capabilities: none") != NULL);
}

static void try_analysis(char *wrong)
{
	const char *says = try_with(SANDBOX_FILES | SANDBOX_PROCESSES, wrong);

	told(wrong, 'n', strstr(says, "capabilities: none") != NULL);
}

static void try_capture(char *wrong)
{
	const char *says = try_with(SANDBOX_CAPTURE, wrong);

	told(wrong, 'n',
	     geteuid() || strstr(says, "capabilities: net_raw,") != NULL);
}

static void try_serving(char *wrong)
{
	try_with(SANDBOX_SERVE, wrong);
}

static void try_names(char *wrong)
{
	try_with(SANDBOX_FILES | SANDBOX_RESOLVE, wrong);
}

/* A folder of somebody else that nobody else may look into: root reaches it,
 * and with no more than that. */
static void try_others(char *wrong)
{
	struct sandbox s = { .needs = SANDBOX_FILES };
	struct sandbox_report r;

	if (geteuid())
		return;
	if (chown(others, 12345, 12345) || chmod(others, 0700))
		told(wrong, 'i', false);
	sandbox_allow(&s, others, SANDBOX_WRITES);
	sandbox_enter(&s, &r);
	told(wrong, 'k', strstr(r.text, "capabilities: dac_override,") != NULL);
	told(wrong, 'w', !makes_file(others));
}

static void try_nobody(char *wrong)
{
	struct sandbox s = { .needs = SANDBOX_SERVE };
	struct sandbox_report r;
	struct err err = { 0 };

	if (geteuid())
		return;
	told(wrong, 'b', !sandbox_nobody(&err));
	sandbox_allow(&s, "/usr", SANDBOX_READS);
	sandbox_enter(&s, &r);
	told(wrong, 'u', geteuid() && getuid() && getgid());
	told(wrong, 'z', setuid(0) < 0);
	told(wrong, 'n', strstr(r.text, "capabilities: none") != NULL);
}

/* What went wrong in a process that gave it all up. */
static void in_child(void (*try)(char *wrong))
{
	char wrong[32] = "", path[64];
	int ends[2], status;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		try(wrong);
		_exit(write(ends[1], wrong, sizeof wrong) != sizeof wrong);
	}
	assert_int_equal(read(ends[0], wrong, sizeof wrong), sizeof wrong);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_string_equal(wrong, "");
	close(ends[0]);
	close(ends[1]);
	snprintf(path, sizeof path, "%s/file", mine); /* may not remove */
	unlink(path);
}

static void (*const tries[])(char *wrong) = {
	try_command, try_analysis, try_capture, try_serving,
	try_names,   try_others,   try_nobody,
};

static void one(void **state)
{
	in_child(*(void (**)(char *wrong)) * state);
}

#define TRY(i, what)                                                \
	{                                                           \
		what, one, NULL, NULL, (void *)(uintptr_t)&tries[i] \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRY(0, "a command"),        TRY(1, "analysis of live"),
		TRY(2, "capture of live"),  TRY(3, "metrics"),
		TRY(4, "names in filters"), TRY(5, "files of others"),
		TRY(6, "nobody"),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
