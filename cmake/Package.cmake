# `cpack` in a build folder makes packages: the program, the plugin for the
# Wireshark of this system, the library for other programs; .deb, or .rpm with
# `cpack -G RPM`.  In a build with the preset "static" it is the program alone,
# for any distribution.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fabscope)
set(CPACK_PACKAGE_VENDOR fabscope)
set(CPACK_PACKAGE_CONTACT "the fabscope maintainers <maintainers@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_INSTALL_PREFIX /usr)
# The systemd unit and the plugin ask for the prefix when they are installed.
set(CPACK_SET_DESTDIR ON)
set(CPACK_PACKAGE_RELOCATABLE OFF)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_COMPONENTS_ALL program)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
	"The program: reads captures of an AI fabric and answers whether it was the network")
if(FABSCOPE_WIRESHARK_SHORT)
	list(APPEND CPACK_COMPONENTS_ALL plugin)
	set(CPACK_COMPONENT_PLUGIN_DESCRIPTION
		"fabscope in Wireshark ${FABSCOPE_WIRESHARK_SHORT}: the plugin, which shows the verdict on each packet")
endif()
if(TARGET libfabscope)
	list(APPEND CPACK_COMPONENTS_ALL development)
	set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
		"The library libfabscope, for programs that analyze such captures themselves")
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME fabscope)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS fabscope-wireshark)
set(CPACK_DEBIAN_PLUGIN_PACKAGE_NAME fabscope-wireshark)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libfabscope-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# What fabscope.pc requires.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libpcap-dev, libsqlite3-dev, libjansson-dev, zlib1g-dev, libzstd-dev, liblz4-dev, libinih-dev")
# Which libraries they need: by dpkg-shlibdeps.
if(NOT FABSCOPE_STATIC)
	set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
	set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})
	set(CPACK_PROJECT_CONFIG_FILE
		${CMAKE_SOURCE_DIR}/cmake/PackageTools.cmake)
endif()

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE GPL-2.0-or-later)
set(CPACK_RPM_PROGRAM_PACKAGE_NAME fabscope)
set(CPACK_RPM_PLUGIN_PACKAGE_NAME fabscope-wireshark)
set(CPACK_RPM_DEVELOPMENT_PACKAGE_NAME fabscope-devel)
# Folders of the system, which belong to other packages.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
	/usr/lib/systemd /usr/lib/systemd/system /usr/lib/pkgconfig
	/usr/share/man /usr/share/man/man1 /usr/share/bash-completion
	/usr/share/bash-completion/completions /usr/share/zsh
	/usr/share/zsh/site-functions)
include(CPack)

add_custom_target(uninstall
	COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR}
		-P ${CMAKE_SOURCE_DIR}/cmake/Uninstall.cmake
	VERBATIM)
