# Targets for the things a compiler does not check: `ninja format`,
# `ninja format-check`, `ninja tidy`.  All read the sources git knows.
set(FABSCOPE_CHECKS ${CMAKE_SOURCE_DIR}/tests/conventions)
find_program(CLANG_FORMAT NAMES clang-format-14 clang-format)
find_program(CLANG_TIDY NAMES clang-tidy-14 clang-tidy)

if(CLANG_FORMAT)
	add_custom_target(format
		COMMAND ${FABSCOPE_CHECKS}/format.sh ${CLANG_FORMAT} --fix
		WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
	add_custom_target(format-check
		COMMAND ${FABSCOPE_CHECKS}/format.sh ${CLANG_FORMAT}
		WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endif()
if(CLANG_TIDY)
	add_custom_target(tidy
		COMMAND ${FABSCOPE_CHECKS}/tidy.sh ${CLANG_TIDY}
			${CMAKE_BINARY_DIR}
		WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endif()
