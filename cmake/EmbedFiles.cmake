# embed_files(OUT ARRAY ENDING ROOTS FILE...): a C file that holds the FILEs, which are
# those that Embed.cmake finds in ROOTS.
#
# A command runs again when a file that it depends on is newer, not when one is gone:
# so their names are part of the command.
function(embed_files out array ending roots)
	set(embed ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake)
	string(MD5 names "${ARGN}")
	add_custom_command(OUTPUT ${out}
		COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DARRAY=${array}
			-DENDING=${ending} "-DROOTS=${roots}" -DNAMES=${names}
			-P ${embed}
		DEPENDS ${ARGN} ${embed}
		VERBATIM)
endfunction()
