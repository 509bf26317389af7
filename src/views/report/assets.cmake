# Writes a C file that holds the style and the scripts of a report:
# cmake -DOUT=... "-DFILES=NAME=FILE;..." -P
#
# Each comes with its SHA-256 as a Content-Security-Policy wants it, so that a
# browser runs these and nothing else.  A reference to a source map is taken
# out, because a page must not ask for other files.  copyright is text for the
# page itself and is escaped.
string(REPEAT "." 75 line) # 15 octets
set(digits
	ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)

# base64 of 32 octets, given in hexadecimal
function(base64_of_sha256 hex result)
	set(text "")
	string(APPEND hex 00) # 11 groups of 24 bits, the last not quite full
	foreach(at RANGE 0 60 6)
		string(SUBSTRING ${hex} ${at} 6 group)
		foreach(shift 18 12 6 0)
			math(EXPR digit "(0x${group} >> ${shift}) & 63")
			string(SUBSTRING ${digits} ${digit} 1 c)
			string(APPEND text ${c})
		endforeach()
	endforeach()
	string(SUBSTRING ${text} 0 43 text)
	set(${result} "${text}=" PARENT_SCOPE)
endfunction()

set(texts)
set(rows)
set(i 0)
foreach(file ${FILES})
	string(REGEX MATCH "^([^=]*)=(.*)$" _ ${file})
	set(name ${CMAKE_MATCH_1})
	set(path ${CMAKE_MATCH_2})
	set(copy ${OUT}.${name})
	file(READ ${path} text)
	string(REGEX REPLACE "\n//# sourceMappingURL=[^\n]*" "" text "${text}")
	string(REGEX REPLACE "\n/\\*# sourceMappingURL=[^\n]*" "" text "${text}")
	string(REPLACE "\r\n" "\n" text "${text}")
	if(name STREQUAL "copyright")
		string(REPLACE "&" "&amp;" text "${text}")
		string(REPLACE "<" "&lt;" text "${text}")
		string(REPLACE ">" "&gt;" text "${text}")
	elseif(text MATCHES "</[Ss][CcTt]|<!--|sourceMappingURL")
		message(FATAL_ERROR
			"${path} would end its element in the page")
	endif()
	file(WRITE ${copy} "${text}")
	file(SHA256 ${copy} hex)
	base64_of_sha256(${hex} hash)
	file(READ ${copy} hex HEX)
	string(REGEX REPLACE "(..)" "0x\\1," octets "${hex}")
	string(REGEX REPLACE "(${line})" "\\1\n" octets "${octets}")
	string(APPEND texts
		"static const unsigned char text_${i}[] = {\n${octets}0};\n")
	string(APPEND rows
		"\t{ \"${name}\", (const char *)text_${i}, \"sha256-${hash}\" },\n")
	math(EXPR i "${i} + 1")
endforeach()
file(WRITE ${OUT} "/* Made by assets.cmake.  Do not edit. */
#include \"views/report_page.h\"

${texts}
const struct report_asset report_assets[] = {
${rows}\t{ 0, 0, 0 },
};
")
