# Is PAGE what "DOCGEN WHAT" makes?
execute_process(COMMAND ${DOCGEN} ${WHAT} OUTPUT_VARIABLE made
	RESULT_VARIABLE status)
file(READ ${PAGE} kept)
if(NOT status EQUAL 0 OR NOT made STREQUAL kept)
	message(FATAL_ERROR "${PAGE} is out of date: ninja store_docs")
endif()
