# The installed headers, and the package that find_package(frit) reads.
#
# include/frit is the public interface and stands alone. include/frit-internal has the headers of the layers below:
# plugins and programs that use only frit::frit_runtime are written against them; no public header includes one.
include(CMakePackageConfigHelpers)

install(DIRECTORY ir/base/frit runtime/frit frontend/frit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ir passes runtime codegen DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/frit-internal FILES_MATCHING PATTERN "*.h"
        PATTERN "ir/base/frit" EXCLUDE PATTERN "runtime/frit" EXCLUDE
        PATTERN "codegen/llvm" EXCLUDE PATTERN "codegen/glsl" EXCLUDE PATTERN "codegen/ptx" EXCLUDE PATTERN "runtime/vulkan" EXCLUDE PATTERN "runtime/openblas" EXCLUDE)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/frit)
install(EXPORT frit NAMESPACE frit:: FILE frit-targets.cmake DESTINATION ${package_folder})
configure_package_config_file(cmake/frit-config.cmake.in ${CMAKE_BINARY_DIR}/frit-config.cmake INSTALL_DESTINATION ${package_folder})
# Before 1.0 a minor version may break the interface.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/frit-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/frit-config.cmake ${CMAKE_BINARY_DIR}/frit-config-version.cmake DESTINATION ${package_folder})

# The same for builds that ask pkg-config. The files find the folder that they lie in.
set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pkgconfig /prefix/${pkgconfig_folder} /prefix)
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig "${prefix_from_pkgconfig}")
function(frit_pkgconfig pc_name pc_description)
  string(JOIN " " pc_libraries ${ARGN})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/frit.pc.in ${CMAKE_BINARY_DIR}/${pc_name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${pc_name}.pc DESTINATION ${pkgconfig_folder})
endfunction()
frit_pkgconfig(frit "a graph compiler for array programs in C++20" -lfrit -lfrit_base -lfrit_runtime)
frit_pkgconfig(mlxc "the C interface of frit" -lmlxc)
