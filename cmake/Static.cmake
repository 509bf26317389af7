# fabscope as one file that needs no shared library and no other file.
#
# In a build of its own (the preset "static", FABSCOPE_STATIC) it is the only
# program and for every x86-64 processor; in other builds it is linked from
# their objects as fabscope-static, for the tests.
if(FABSCOPE_SANITIZE OR FABSCOPE_COVERAGE OR FABSCOPE_FUZZ)
	return()
endif()

set(archives "")
foreach(name microhttpd pcap sqlite3 z zstd lz4 inih ncursesw tinfo jansson
		seccomp cap)
	find_library(ARCHIVE_${name} lib${name}.a)
	mark_as_advanced(ARCHIVE_${name})
	list(APPEND archives ${ARCHIVE_${name}})
endforeach()
if("${archives}" MATCHES "NOTFOUND")
	if(FABSCOPE_STATIC)
		message(FATAL_ERROR "static libraries are missing: ${archives}")
	endif()
	message(STATUS "fabscope-static: not built, libraries are missing")
	return()
endif()

# libmicrohttpd has TLS, which is never switched on here, and libpcap has buses
# other than the network.  Both need libraries that have no static form.  Empty
# functions stand in for what is never called.
execute_process(COMMAND ${CMAKE_NM} -u ${ARCHIVE_microhttpd} ${ARCHIVE_pcap}
	OUTPUT_VARIABLE symbols ERROR_QUIET)
string(REGEX MATCHALL "gnutls_[a-z0-9_]+" TLS "${symbols}")
string(REGEX MATCHALL "(dbus|rdmasniff)_findalldevs" BUSES "${symbols}")
list(REMOVE_DUPLICATES TLS)
list(REMOVE_DUPLICATES BUSES)
list(TRANSFORM TLS REPLACE "(.+)" "TLS(\\1)\n")
list(TRANSFORM BUSES REPLACE "(.+)_findalldevs" "BUS(\\1)\n")
string(REPLACE ";" "" TLS "${TLS}")
string(REPLACE ";" "" BUSES "${BUSES}")
# The description of a terminal as TERMINFO takes it (ncurses 6.1).
find_program(INFOCMP infocmp)
execute_process(COMMAND ${INFOCMP} -Q2 -q xterm-256color
	OUTPUT_VARIABLE TERMINFO)
string(REPLACE "\n" "" TERMINFO "${TERMINFO}")
configure_file(cmake/static.c.in ${CMAKE_BINARY_DIR}/static.c @ONLY)

set(layers cli tui campaign whatif views live simulate run store phase flow decode evidence joblog
	capture wire base)
list(TRANSFORM layers PREPEND fabscope_ OUTPUT_VARIABLE targets)
list(TRANSFORM targets REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
add_executable(fabscope_static src/cli/main.c ${CMAKE_BINARY_DIR}/static.c)
add_dependencies(fabscope_static ${targets})
target_link_options(fabscope_static PRIVATE -static)
target_link_libraries(fabscope_static PRIVATE
	-Wl,--start-group ${files} -Wl,--end-group ${archives} m)
set_target_properties(fabscope_static PROPERTIES
	OUTPUT_NAME fabscope-static LINK_DEPENDS "${files}")
if(FABSCOPE_STATIC)
	set_target_properties(fabscope_static PROPERTIES OUTPUT_NAME fabscope)
	install(TARGETS fabscope_static RUNTIME
		DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
