# `cpack` in a build folder makes a .deb: program, library, plugin for the
# Wireshark of this system, man pages, completions.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fabscope)
set(CPACK_PACKAGE_VENDOR fabscope)
set(CPACK_PACKAGE_CONTACT "the fabscope maintainers <maintainers@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "wireshark | tshark")
set(CPACK_STRIP_FILES ON)
# Which libraries it needs: by dpkg-shlibdeps, where that is installed.
find_program(SHLIBDEPS dpkg-shlibdeps)
if(SHLIBDEPS)
	set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
	set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})
endif()
include(CPack)

add_custom_target(uninstall
	COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR}
		-P ${CMAKE_SOURCE_DIR}/cmake/Uninstall.cmake
	VERBATIM)
