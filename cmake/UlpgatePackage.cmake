# SPDX-License-Identifier: Apache-2.0
# What is installed, and the CMake and pkg-config files that find it. The component `kit` is what a plugin is built
# with, and nothing else. The build tree can be found as well: its layout is that of an installed one.
include(CMakePackageConfigHelpers)
set(package_source ${PROJECT_SOURCE_DIR}/cmake/package)
set(package_folder lib/cmake/ulpgate)
set(package_files ${package_source}/UlpgateGate.cmake ${package_source}/UlpgateHostCuda.cmake ${package_source}/gate.sh)

# Where the static library of Boost.Context was not there, plugins on the executor link the shared one.
set(package_context "")
if(NOT ULPGATE_BOOST_CONTEXT_STATIC)
  set(package_context boost_context)
endif()

# ug_package_config(FILE): fills in the variables package_*.
function(ug_package_config file)
  configure_file(${package_source}/ulpgateConfig.cmake.in ${file} @ONLY)
endfunction()
set(package_include "\${_ulpgate_prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
set(package_data "\${_ulpgate_prefix}/${CMAKE_INSTALL_DATADIR}/ulpgate")
set(package_bin ${CMAKE_INSTALL_BINDIR})
set(package_host_cuda "\${_ulpgate_prefix}/share/ulpgate/host_cuda")
set(package_host_cuda_more "")
ug_package_config(${PROJECT_BINARY_DIR}/package/ulpgateConfig.cmake)
set(package_include ${PROJECT_SOURCE_DIR}/include)
set(package_data ${PROJECT_SOURCE_DIR}/cases)
set(package_bin bin)
set(package_host_cuda ${PROJECT_SOURCE_DIR}/host/cuda)
set(package_host_cuda_more "\"${PROJECT_SOURCE_DIR}\"")
ug_package_config(${PROJECT_BINARY_DIR}/${package_folder}/ulpgateConfig.cmake)
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
install(FILES ${PROJECT_SOURCE_DIR}/tools/python/ulpgate_torch.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/ulpgate/python)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

# An archive that runs where only the C library is: `cmake --workflow --preset archive`.
option(ULPGATE_BUNDLE "Install the shared libraries that the programs need beside them" OFF)
configure_file(${PROJECT_SOURCE_DIR}/cmake/bundle.cmake.in ${PROJECT_BINARY_DIR}/package/bundle.cmake @ONLY)
if(ULPGATE_BUNDLE)
  install(SCRIPT ${PROJECT_BINARY_DIR}/package/bundle.cmake)
endif()
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_VENDOR ulpgate)
set(CPACK_PACKAGE_FILE_NAME ulpgate-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
