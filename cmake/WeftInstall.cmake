# Install rules: the headers, the CMake package and the pkg-config file. Nothing depends on the architecture.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(weft_package_dir "${CMAKE_INSTALL_DATADIR}/cmake/weft")
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/weftConfig.cmake.in" "${PROJECT_BINARY_DIR}/package/weftConfig.cmake"
  INSTALL_DESTINATION "${weft_package_dir}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/weftConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(WEFT_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  set(WEFT_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/weft" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
install(FILES "${PROJECT_BINARY_DIR}/package/weftConfig.cmake"
              "${PROJECT_BINARY_DIR}/package/weftConfigVersion.cmake" "${CMAKE_CURRENT_LIST_DIR}/WeftTargets.cmake"
        DESTINATION "${weft_package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/weft")
# Written when installing, so that `cmake --install --prefix` is the prefix it names.
install(CODE "set(WEFT_PC_INCLUDEDIR [[${WEFT_PC_INCLUDEDIR}]])
set(PROJECT_DESCRIPTION [[${PROJECT_DESCRIPTION}]])
set(PROJECT_VERSION [[${PROJECT_VERSION}]])
get_filename_component(CMAKE_INSTALL_PREFIX \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE)
configure_file([[${CMAKE_CURRENT_LIST_DIR}/weft.pc.in]] [[${PROJECT_BINARY_DIR}/package/weft.pc]] @ONLY)")
install(FILES "${PROJECT_BINARY_DIR}/package/weft.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
