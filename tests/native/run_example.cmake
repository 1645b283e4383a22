# Builds the example with frit, then runs it without frit.
#
# Variables: BUILD (frit's build folder), FOLDER (a folder of this test's own), EXAMPLE, GENERATOR, COMPILER.
include(${CMAKE_CURRENT_LIST_DIR}/../run.cmake)

file(REMOVE_RECURSE ${FOLDER})
unset(ENV{FRIT_PLUGIN_DIR})
unset(ENV{LD_LIBRARY_PATH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${FOLDER}/frit)
run(${CMAKE_COMMAND} -S ${EXAMPLE} -B ${FOLDER}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${FOLDER}/frit)
run(${CMAKE_COMMAND} --build ${FOLDER}/build)
# Nothing of frit is needed any more.
file(REMOVE_RECURSE ${FOLDER}/frit)
run(${FOLDER}/build/server)
message(STATUS "${output}")
if(NOT output MATCHES "200 requests")
  message(FATAL_ERROR "the server says: ${output}")
endif()
run(ldd ${FOLDER}/build/server)
# The paths may lie in a folder named frit.
if(output MATCHES "libfrit|libLLVM|not found")
  message(FATAL_ERROR "the server needs: ${output}")
endif()
file(REMOVE_RECURSE ${FOLDER})
