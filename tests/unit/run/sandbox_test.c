/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the processes of live gave up they cannot do: tried in a process of its
 * own.  What the report says is not in force is not tried. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
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

static void try_analysis(char *wrong)
{
	const char *const folders[] = { mine };
	struct sandbox_report r;

	sandbox_analysis(folders, 1, &r);
	told(wrong, 'r', !reads_file());
	told(wrong, 'w', !makes_file(mine));
	if (strstr(r.text, "landlock: in force"))
		told(wrong, 'o', makes_file(others) == EACCES);
	if (strstr(r.text, "seccomp: in force"))
		told(wrong, 's',
		     socket(AF_INET, SOCK_DGRAM, 0) < 0 && errno == EPERM);
	try_calls(&r, wrong);
}

static void try_capture(char *wrong)
{
	struct sandbox_report r;

	sandbox_capture(false, &r);
	told(wrong, 'r', !reads_file());
	told(wrong, 's', socket(AF_INET, SOCK_DGRAM, 0) >= 0);
	if (strstr(r.text, "landlock: in force"))
		told(wrong, 'o', makes_file(others) == EACCES);
	if (strstr(r.text, "seccomp: in force"))
		told(wrong, 'f', fork() < 0 && errno == EPERM);
	try_calls(&r, wrong);
}

/* What went wrong in a process that gave it all up. */
static void in_child(void (*try)(char *wrong))
{
	char wrong[32] = "";
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
}

static void analysis(void **state)
{
	(void)state;
	in_child(try_analysis);
}

static void capture(void **state)
{
	(void)state;
	in_child(try_capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(analysis),
		cmocka_unit_test(capture),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
