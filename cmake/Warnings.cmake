# Every warning a newcomer's mistake would raise, and the sanitizers.
add_compile_options(
	-Wall -Wextra -Wshadow -Wpointer-arith -Wcast-qual -Wwrite-strings
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
	-Wundef -Wvla -Wformat=2 -Wimplicit-fallthrough)
if(FABSCOPE_WERROR)
	add_compile_options(-Werror)
endif()
if(FABSCOPE_SANITIZE)
	add_compile_options(-fsanitize=${FABSCOPE_SANITIZE}
		-fno-sanitize-recover=all -fno-omit-frame-pointer)
	add_link_options(-fsanitize=${FABSCOPE_SANITIZE})
endif()
if(FABSCOPE_COVERAGE)
	add_compile_options(--coverage -O0)
	add_link_options(--coverage)
endif()
if(FABSCOPE_FUZZ)
	# Coverage feedback for libFuzzer, in every layer, without its main().
	add_compile_options(-fsanitize=fuzzer-no-link)
	add_link_options(-fsanitize=fuzzer-no-link)
endif()
