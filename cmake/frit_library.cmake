# frit_library and frit_plugin, the functions that define targets: one target per folder.
#
# The sources are every .cpp of the folder and of its rooms, so adding a file or a room edits no list. A room is a
# subfolder without a CMakeLists.txt; a subfolder with one is a target of its own.

# Flags of every target; frit_flags are those of the libraries, the plugins and the command.
add_library(frit_base_flags INTERFACE)
add_library(frit_flags INTERFACE)
target_link_libraries(frit_flags INTERFACE frit_base_flags)
target_compile_options(frit_base_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers)
# IEEE results on every host compiler: no contraction of a*b+c, no excess precision.
target_compile_options(frit_base_flags INTERFACE -ffp-contract=off)
# Position independent everywhere, programs included, so that all targets share one precompiled header.
target_compile_options(frit_base_flags INTERFACE -fPIC -fno-semantic-interposition)
# Cached code is keyed by the build ids of the libraries that made it (runtime/system/build_identity.h).
target_link_options(frit_base_flags INTERFACE LINKER:--build-id=sha1)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 has false alarms on std::string's operator+ and on variants; files that are compiled together look like headers to it.
  target_compile_options(frit_base_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized -Wno-subobject-linkage)
else()
  # Otherwise clang writes the time into a precompiled header, and ccache never gets a hit on it.
  target_compile_options(frit_base_flags INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()
# Checks of undefined behaviour lengthen a build, so the libraries, the plugins and the command have them: tests and bindings are compiled
# with the other sanitizers alone. The checks of each access to a member double it, and the address sanitizer sees most of what they find.
# glslang's package is built without the run-time types that the check of virtual tables needs.
if(FRIT_SANITIZE)
  string(REGEX REPLACE ",undefined|undefined,?" "" without_undefined "${FRIT_SANITIZE}")
  set(FRIT_SANITIZE_TESTS)
  if(without_undefined)
    set(FRIT_SANITIZE_TESTS -fsanitize=${without_undefined})
  endif()
  target_compile_options(frit_base_flags INTERFACE ${FRIT_SANITIZE_TESTS} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_compile_options(frit_flags INTERFACE -fsanitize=${FRIT_SANITIZE} -fno-sanitize-recover=all)
  if(FRIT_SANITIZE MATCHES "undefined")
    target_compile_options(frit_flags INTERFACE -fno-sanitize=alignment,null,object-size,vptr)
  endif()
  target_link_options(frit_base_flags INTERFACE -fsanitize=${FRIT_SANITIZE})
endif()

# For programs whose file names appear in traces: names start at the project's folder, whatever the build folder and
# whether or not ccache is used.
file(RELATIVE_PATH source_from_build ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR}/)
set(FRIT_SHORT_FILE_NAMES -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/= -fmacro-prefix-map=${source_from_build}=)

# The standard headers that most files include, compiled once. They only save time: every file includes the headers it
# uses.
set(FRIT_PCH_HEADERS <algorithm> <array> <atomic> <bit> <cmath> <cstdint> <cstring> <functional> <iostream> <limits> <map> <memory>
    <mutex> <optional> <set> <span> <sstream> <string> <string_view> <unordered_map> <utility> <variant> <vector>)
add_library(frit_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
target_link_libraries(frit_pch PRIVATE frit_flags)
target_precompile_headers(frit_pch PRIVATE ${FRIT_PCH_HEADERS})

# Compiles several files of one room as one, which halves the work: most of a file's time goes into the headers and templates that its
# neighbours need too. Off, each file shows that it includes whatever it uses.
option(FRIT_JOIN_SOURCES "compile the files of a room together" ON)
set(FRIT_FILES_AT_ONCE 16 CACHE STRING "the most files of a room that are compiled together")
set(FRIT_ROOMS_AT_ONCE "" CACHE STRING "groups of rooms of one library, as a+b, that are compiled as one room")

# frit_join_sources(variable folder sources...): files in a folder of the build that include the sources, at most FRIT_FILES_AT_ONCE of one room
# in each, and as many in each as in the room's others. The texts name no folder outside of the project, so that all checkouts share what ccache
# holds. Sources with options of their own stay alone. A group of rooms has the name of its first one.
function(frit_join_sources variable folder)
  set(sources)
  set(rooms)
  foreach(source ${ARGN})
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(NOT FRIT_JOIN_SOURCES OR options)
      list(APPEND sources ${source})
      continue()
    endif()
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${source})
    get_filename_component(room ${path} DIRECTORY)
    foreach(group ${FRIT_ROOMS_AT_ONCE})
      string(REPLACE "+" ";" together ${group})
      if(room IN_LIST together)
        list(GET together 0 room)
      endif()
    endforeach()
    list(APPEND rooms ${room})
    list(APPEND files_of_${room} ${path})
  endforeach()
  list(REMOVE_DUPLICATES rooms)
  foreach(room ${rooms})
    list(LENGTH files_of_${room} files)
    math(EXPR groups "(${files} + ${FRIT_FILES_AT_ONCE} - 1) / ${FRIT_FILES_AT_ONCE}")
    foreach(group RANGE 1 ${groups})
      math(EXPR first "${files} * (${group} - 1) / ${groups}")
      math(EXPR count "${files} * ${group} / ${groups} - ${first}")
      list(SUBLIST files_of_${room} ${first} ${count} included)
      list(TRANSFORM included REPLACE "(.+)" "#include \"\\1\"\n")
      list(JOIN included "" text)
      file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${folder}/${room}_${group}.cpp CONTENT "${text}" @ONLY)
      list(APPEND sources ${CMAKE_BINARY_DIR}/${folder}/${room}_${group}.cpp)
    endforeach()
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# frit_library(name [PUBLIC_HEADERS] [LINK targets...] [PRIVATE targets...]). PUBLIC_HEADERS: the folder has a room `frit` of public headers, which are
# included as <frit/...>, and whoever uses the installed library sees no others. Without it the installed library offers the headers of the layers below.
function(frit_library name)
  cmake_parse_arguments(ARG "PUBLIC_HEADERS" "" "LINK;PRIVATE" ${ARGN})
  file(GLOB found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*/*.cpp)
  set(sources)
  foreach(source ${found})
    get_filename_component(folder ${source} DIRECTORY)
    if(folder STREQUAL CMAKE_CURRENT_SOURCE_DIR OR NOT EXISTS ${folder}/CMakeLists.txt)
      list(APPEND sources ${source})
    endif()
  endforeach()
  frit_join_sources(sources joined ${sources})
  add_library(${name} SHARED ${sources})
  add_library(frit::${name} ALIAS ${name})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  if(ARG_PUBLIC_HEADERS)
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  else()
    target_include_directories(${name} PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/frit-internal>)
  endif()
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:frit_flags>)
  target_precompile_headers(${name} REUSE_FROM frit_pch)
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  install(TARGETS ${name} EXPORT frit LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# A shared module that is opened on first need: codegen/<name> or runtime/<name> with the rooms in it. It may bring its own precompiled header.
function(frit_plugin name)
  cmake_parse_arguments(ARG "JOIN" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(ARG_JOIN)
    frit_join_sources(sources joined ${sources})
  endif()
  add_library(${name} MODULE ${sources})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} frit_flags)
  # The third-party libraries that a plugin wraps may lie outside the loader's folders.
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/frit INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/frit)
  set_property(GLOBAL APPEND PROPERTY FRIT_PLUGINS ${name})
endfunction()
