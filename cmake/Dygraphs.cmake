# The diagrams of `fabscope report`: taken from Debian's package and made a part
# of the program, so that a report needs nothing else.
set(dygraphs_folder /usr/share/javascript/dygraphs)
find_file(DYGRAPHS_JS dygraph.min.js PATHS ${dygraphs_folder} NO_CACHE)
find_file(DYGRAPHS_CSS dygraph.min.css PATHS ${dygraphs_folder} NO_CACHE)
find_file(DYGRAPHS_COPYRIGHT copyright PATHS /usr/share/doc/libjs-dygraphs
	NO_CACHE)
if(NOT DYGRAPHS_JS OR NOT DYGRAPHS_CSS OR NOT DYGRAPHS_COPYRIGHT)
	message(FATAL_ERROR "the package libjs-dygraphs is missing (${dygraphs_folder}/dygraph.min.js and .css, /usr/share/doc/libjs-dygraphs/copyright): apt-get install libjs-dygraphs, or say -DDYGRAPHS_JS=FILE -DDYGRAPHS_CSS=FILE -DDYGRAPHS_COPYRIGHT=FILE")
endif()
