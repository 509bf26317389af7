# Read by cpack: without these programs it makes packages that say they need
# nothing, and the program they install does not start.
if(CPACK_GENERATOR STREQUAL DEB)
	foreach(tool dpkg-shlibdeps file)
		find_program(TOOL_${tool} ${tool})
		if(NOT TOOL_${tool})
			message(FATAL_ERROR
				"a .deb needs ${tool}: install dpkg-dev and file")
		endif()
	endforeach()
endif()
