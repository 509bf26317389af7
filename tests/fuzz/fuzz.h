/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the targets that run commands share. */
#ifndef FABSCOPE_FUZZ_H
#define FABSCOPE_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In a folder of its own from now on, which goes when the process ends;
 * nothing is read from standard input, nothing printed. */
void fuzz_folder(void);

/* The file |name| there has this content. */
void fuzz_put(const char *name, const void *data, size_t size);

/* ... and that of the first packets of a real capture. */
void fuzz_put_capture(const char *name);

/* Runs the words of |line|, which spaces part.  The exit status. */
int fuzz_run(const char *line);

#endif
