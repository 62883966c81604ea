# SPDX-License-Identifier: Apache-2.0
# What is installed, and the CMake and pkg-config files that find it. The component `kit` is what a plugin is built
# with, and nothing else. The build tree can be found as well: its layout is that of an installed one.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_source ${PROJECT_SOURCE_DIR}/cmake/package)
set(package_folder lib/cmake/ulpgate)
set(package_files ${package_source}/UlpgateGate.cmake ${package_source}/gate.sh)

# ulpgate_package_config(FILE INCLUDE DATA BIN)
function(ug_package_config file package_include package_data package_bin)
  configure_file(${package_source}/ulpgateConfig.cmake.in ${file} @ONLY)
endfunction()
ug_package_config(${PROJECT_BINARY_DIR}/package/ulpgateConfig.cmake "\${_ulpgate_prefix}/${CMAKE_INSTALL_INCLUDEDIR}"
  "\${_ulpgate_prefix}/${CMAKE_INSTALL_DATADIR}/ulpgate" ${CMAKE_INSTALL_BINDIR})
ug_package_config(${PROJECT_BINARY_DIR}/${package_folder}/ulpgateConfig.cmake ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_SOURCE_DIR}/cases bin)
file(COPY ${package_files} DESTINATION ${PROJECT_BINARY_DIR}/${package_folder})
foreach(folder package ${package_folder})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/${folder}/ulpgateConfigVersion.cmake
    COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
endforeach()
configure_file(${package_source}/ulpgate.pc.in ${PROJECT_BINARY_DIR}/package/ulpgate.pc @ONLY)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ulpgate DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT kit)
install(FILES ${package_files} ${PROJECT_BINARY_DIR}/package/ulpgateConfig.cmake
  ${PROJECT_BINARY_DIR}/package/ulpgateConfigVersion.cmake DESTINATION ${package_folder} COMPONENT kit)
install(FILES ${PROJECT_BINARY_DIR}/package/ulpgate.pc DESTINATION lib/pkgconfig COMPONENT kit)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
