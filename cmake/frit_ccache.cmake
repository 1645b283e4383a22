# Compiles through ccache where it is installed, with the options that let it cache precompiled headers and share
# results between build folders. An object's debug information may name the folder of the checkout that compiled it first.
find_program(FRIT_CCACHE ccache)
mark_as_advanced(FRIT_CCACHE)
if(FRIT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${FRIT_CCACHE})
endif()
