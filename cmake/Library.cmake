# libfabscope, shared and static, with nothing visible but the public API.
set(layers base wire capture joblog evidence decode flow phase store run)
foreach(layer ${layers} api)
	if(NOT TARGET fabscope_${layer})
		return()
	endif()
endforeach()

set(FABSCOPE_SOVERSION 0)

add_library(libfabscope SHARED $<TARGET_OBJECTS:fabscope_api>)
target_link_libraries(libfabscope PRIVATE fabscope_run)
set_target_properties(libfabscope PROPERTIES
	OUTPUT_NAME fabscope
	VERSION ${PROJECT_VERSION}
	SOVERSION ${FABSCOPE_SOVERSION})

# The archive is one object: the layers linked together first, then every
# symbol with hidden visibility made local, so that none can clash with the
# program it is linked into.
list(TRANSFORM layers REPLACE "(.+)" "$<TARGET_FILE:fabscope_\\1>"
	OUTPUT_VARIABLE layer_files)
list(TRANSFORM layers PREPEND fabscope_ OUTPUT_VARIABLE layer_targets)
set(archive ${CMAKE_BINARY_DIR}/libfabscope.a)
add_custom_command(OUTPUT ${archive}
	COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o libfabscope.o
		$<TARGET_OBJECTS:fabscope_api>
		-Wl,--start-group ${layer_files} -Wl,--end-group
	COMMAND ${CMAKE_OBJCOPY} --localize-hidden libfabscope.o
	COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
	COMMAND ${CMAKE_AR} rcs ${archive} libfabscope.o
	DEPENDS ${layer_targets} $<TARGET_OBJECTS:fabscope_api>
	COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(libfabscope_static ALL DEPENDS ${archive})

# Its folders are found from where it lies, so that any prefix is right.
file(RELATIVE_PATH FABSCOPE_PC_PREFIX
	/${CMAKE_INSTALL_LIBDIR}/pkgconfig /.)
string(REGEX REPLACE "/$" "" FABSCOPE_PC_PREFIX ${FABSCOPE_PC_PREFIX})
configure_file(${CMAKE_SOURCE_DIR}/cmake/fabscope.pc.in
	${CMAKE_BINARY_DIR}/fabscope.pc @ONLY)

install(TARGETS libfabscope LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
	COMPONENT development NAMELINK_COMPONENT development)
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR}
	COMPONENT development)
install(FILES ${CMAKE_BINARY_DIR}/fabscope.pc
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(FILES include/fabscope/fabscope.h
	DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fabscope COMPONENT development)
