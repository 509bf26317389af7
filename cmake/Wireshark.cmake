# Which Wireshark is here, if any, and where it looks for plugins.  Wireshark
# keeps no compatibility between minor versions: a plugin is built for one.
#
#   FABSCOPE_WIRESHARK_SHORT   "4.0", or "": no plugin is built
#   FABSCOPE_WIRESHARK_FOLDER  where all users' plugins of this version are
#   FABSCOPE_WIRESHARK_BELOW   the same below a prefix
option(FABSCOPE_WIRESHARK "Build the Wireshark plugin" ON)
set(FABSCOPE_WIRESHARK_SHORT "")
set(FABSCOPE_WIRESHARK_FOLDER "")
set(FABSCOPE_WIRESHARK_BELOW "")

if(NOT FABSCOPE_WIRESHARK)
	message(STATUS "Wireshark plugin: switched off")
	return()
endif()
pkg_check_modules(WIRESHARK QUIET wireshark)
if(NOT WIRESHARK_FOUND)
	message(STATUS "Wireshark plugin: not built, the headers are missing "
		"(Debian: libwireshark-dev libglib2.0-dev)")
	return()
endif()
if(WIRESHARK_VERSION VERSION_LESS 4.0 OR
   WIRESHARK_VERSION VERSION_GREATER_EQUAL 4.7)
	message(STATUS "Wireshark plugin: not built, this is Wireshark "
		"${WIRESHARK_VERSION}, known are 4.0 to 4.6")
	return()
endif()
message(STATUS "Wireshark plugin: for Wireshark ${WIRESHARK_VERSION}")
string(REGEX MATCH "^[0-9]+\\.[0-9]+" FABSCOPE_WIRESHARK_SHORT
	${WIRESHARK_VERSION})
pkg_get_variable(FABSCOPE_WIRESHARK_FOLDER wireshark plugindir)
pkg_get_variable(FABSCOPE_WIRESHARK_PREFIX wireshark prefix)
file(RELATIVE_PATH FABSCOPE_WIRESHARK_BELOW ${FABSCOPE_WIRESHARK_PREFIX}
	${FABSCOPE_WIRESHARK_FOLDER})
