/* SPDX-License-Identifier: GPL-2.0-or-later
 * fabscope wireshark: the plugin and its profile for one user.
 *
 * What is copied lies where this program is: in the folder of its build, or
 * below the prefix it was installed to. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/say.h"

static const char *const profile_files[] = {
	"colorfilters", "preferences", "dfilter_buttons", "io_graphs", "recent",
};
enum { PROFILE_FILES = sizeof profile_files / sizeof *profile_files };

/* ---- places ---- */

/* The folder of this program, cut off at the end of |path|; false: unknown. */
static bool own_folder(char path[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);

	if (n <= 0)
		return false;
	path[n] = '\0';
	*strrchr(path, '/') = '\0';
	return true;
}

/* The first of |candidates| below |base| that is there. */
static char *find(const char *base, const char *const *candidates)
{
	char *path;

	for (; *candidates; candidates++) {
		bool absolute = **candidates == '/';

		if (asprintf(&path, "%s%s%s", absolute ? "" : base,
			     absolute ? "" : "/", *candidates) < 0)
			return NULL;
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

static char *find_plugin(const char *base)
{
	static const char *const candidates[] = {
		"wireshark/" FABSCOPE_WIRESHARK_VERSION "/epan/fabscope.so",
		"../" FABSCOPE_WIRESHARK_BELOW "/epan/fabscope.so",
		FABSCOPE_WIRESHARK_PLUGINS "/epan/fabscope.so",
		NULL,
	};

	return find(base, candidates);
}

static char *find_profile(const char *base)
{
	static const char *const candidates[] = {
		"wireshark/profile",
		"../share/fabscope/wireshark",
		FABSCOPE_DATA "/wireshark",
		NULL,
	};

	return find(base, candidates);
}

/* ---- copying ---- */

static int make_folders(char *path, struct err *err)
{
	char *slash = path;

	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			return err_errno(err, "%s: cannot create", path);
		*slash = '/';
	}
	return 0;
}

static int copy_bytes(FILE *in, FILE *out)
{
	char bytes[1 << 14];
	size_t n;

	while ((n = fread(bytes, 1, sizeof bytes, in)) > 0)
		if (fwrite(bytes, 1, n, out) != n)
			return -1;
	return ferror(in) ? -1 : 0;
}

/* A new file under another name first: the old one may be in use. */
static int copy_file(const char *from, char *to, struct err *err)
{
	char *temp = NULL;
	FILE *in = fopen(from, "rbe"), *out = NULL;
	int rc = -1;

	if (!in)
		return err_errno(err, "%s: cannot open", from);
	if (!make_folders(to, err) && asprintf(&temp, "%s.new", to) >= 0) {
		out = fopen(temp, "wbe");
		rc = out ? copy_bytes(in, out) : -1;
		if (out && fclose(out))
			rc = -1;
		if (!rc)
			rc = rename(temp, to);
		if (rc) {
			err_errno(err, "%s: cannot write", to);
			unlink(temp);
		}
	}
	free(temp);
	fclose(in);
	return rc;
}

/* ---- one file of the user's ---- */

enum what { INSTALL, UNINSTALL };

static int place(enum what what, const char *from, char *to, struct err *err)
{
	if (what == INSTALL) {
		if (copy_file(from, to, err) < 0)
			return -1;
		printf("%s\n", to);
		return 0;
	}
	if (!unlink(to))
		printf("removed %s\n", to);
	else if (errno != ENOENT)
		return err_errno(err, "%s: cannot remove", to);
	*strrchr(to, '/') = '\0';
	rmdir(to); /* when it is empty */
	return 0;
}

static int place_profile(enum what what, const char *folder, const char *home,
			 struct err *err)
{
	char *from = NULL, *to = NULL;
	int rc = 0;

	for (unsigned i = 0; !rc && i < PROFILE_FILES; i++) {
		rc = -1;
		if (asprintf(&from, "%s/%s", folder, profile_files[i]) >= 0 &&
		    asprintf(&to, "%s/.config/wireshark/profiles/fabscope/%s",
			     home, profile_files[i]) >= 0)
			rc = place(what, from, to, err);
		free(from);
		free(to);
		from = to = NULL;
	}
	return rc;
}

static int place_plugin(enum what what, const char *plugin, const char *home,
			struct err *err)
{
	char *to;
	int rc;

	if (asprintf(&to,
		     "%s/.local/lib/wireshark/"
		     "plugins/" FABSCOPE_WIRESHARK_VERSION "/epan/fabscope.so",
		     home) < 0)
		return err_set(err, ERR_MEMORY, "out of memory");
	rc = place(what, plugin, to, err);
	free(to);
	return rc;
}

static int place_all(enum what what, struct err *err)
{
	const char *home = getenv("HOME");
	char base[PATH_MAX];
	char *plugin, *profile;
	int rc;

	if (!*FABSCOPE_WIRESHARK_VERSION)
		return err_set(err, ERR_USAGE,
			       "this fabscope was built without its Wireshark "
			       "plugin");
	if (!home || !*home)
		return err_set(err, ERR_IO, "HOME is not set");
	if (!own_folder(base))
		return err_errno(err, "/proc/self/exe: cannot read");
	plugin = find_plugin(base);
	profile = find_profile(base);
	if (what == INSTALL && (!plugin || !profile))
		rc = err_set(err, ERR_IO,
			     "%s: the plugin for "
			     "Wireshark " FABSCOPE_WIRESHARK_VERSION
			     " is not beside this program",
			     base);
	else
		rc = place_plugin(what, plugin, home, err);
	if (!rc)
		rc = place_profile(what, profile ? profile : "", home, err);
	free(plugin);
	free(profile);
	return rc;
}

static int wireshark_run(const struct args *a)
{
	bool install = args_has(a, "install"), out = args_has(a, "uninstall");
	struct err err = { 0 };

	if (install == out)
		err_set(&err, ERR_USAGE,
			"needs either --install or --uninstall");
	else if (!place_all(install ? INSTALL : UNINSTALL, &err))
		return EXIT_FULL;
	return say_error(&cmd_wireshark, &err);
}

static const struct option options[] = {
	{ .name = "install",
	  .help = "Copy plugin and profile to your personal Wireshark "
		  "folders" },
	{ .name = "uninstall", .help = "Remove them from there" },
	{ .name = NULL },
};

const struct command cmd_wireshark = {
	.name = "wireshark",
	.operands = "",
	.help = "Install or remove the Wireshark plugin, for your user",
	.manual = true,
	.options = options,
	.run = wireshark_run,
};
