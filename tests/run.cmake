# run(command...): the command's standard output and error in `output`; ends the test with both where it fails.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV}\n${output}\nstatus ${status}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
