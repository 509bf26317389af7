# Writes a C file that holds text files:
# cmake -DOUT=... -DARRAY=... -DENDING=sql -DROOTS=... -P, see embed_files()
#
# ROOTS is a list of FILE or FOLDER=PREFIX; from folders come all *.ENDING
# below, named PREFIX + path.  Only hexadecimal digits pass through CMake, so that no
# character of the texts can be taken for one of its own.
set(files)
foreach(root ${ROOTS})
	if(root MATCHES "^(.*)=(.*)$")
		set(folder ${CMAKE_MATCH_1})
		set(prefix ${CMAKE_MATCH_2})
		file(GLOB_RECURSE found RELATIVE ${folder} ${folder}/*.${ENDING})
		foreach(name ${found})
			list(APPEND files "${prefix}${name}=${folder}/${name}")
		endforeach()
	else()
		get_filename_component(name ${root} NAME)
		list(APPEND files "${name}=${root}")
	endif()
endforeach()
list(SORT files)

string(REPEAT "." 75 line) # 15 octets
set(texts)
set(rows)
set(i 0)
foreach(file ${files})
	string(REGEX MATCH "^(.*)=(.*)$" _ ${file})
	set(name ${CMAKE_MATCH_1})
	file(READ ${CMAKE_MATCH_2} hex HEX)
	string(REGEX REPLACE "(..)" "0x\\1," octets "${hex}")
	string(REGEX REPLACE "(${line})" "\\1\n" octets "${octets}")
	string(APPEND texts "static const char text_${i}[] = {\n${octets}0};\n")
	string(APPEND rows "\t{ \"${name}\", text_${i} },\n")
	math(EXPR i "${i} + 1")
endforeach()
file(WRITE ${OUT} "/* Made by Embed.cmake.  Do not edit. */
#include \"base/builtin.h\"

${texts}
extern const struct builtin ${ARRAY}[];
const struct builtin ${ARRAY}[] = {
${rows}\t{ 0, 0 },
};
")
