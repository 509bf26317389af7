/* SPDX-License-Identifier: GPL-2.0-or-later
 * Wireshark's fields, out of the descriptions of src/wire: registering them,
 * and showing a header with them.  Knows no header. */
#ifndef FABSCOPE_DISSECTORS_FIELDS_H
#define FABSCOPE_DISSECTORS_FIELDS_H

#include "dissectors/compat.h"
#include "wire/table.h"

/* Registers the fields of header |h| for |proto|: those of header "ifa_md"
 * under the filter name "ifa" become ifa.md.FIELD, or ifa.FIELD when |flat|:
 * the same thing in several headers then has one name. */
void fields_register(int proto, const char *filter, enum wire_header h,
		     bool flat);

/* Shows header |h|, or the form of it that is there, at |offset| as a subtree
 * of |tree|.  Returns that subtree; throws as usual where the capture or the
 * packet ends inside. */
proto_tree *fields_show(proto_tree *tree, tvbuff_t *tvb, int offset,
			enum wire_header h);

/* One field of it, into a tree of the caller's. */
proto_item *fields_show_one(proto_tree *tree, tvbuff_t *tvb, int offset,
			    enum wire_header h, const char *field);

#endif
