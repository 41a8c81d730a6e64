# Installs headers, library, CMake package, pkg-config file and licences. Nothing installed holds an absolute path.

include(CMakePackageConfigHelpers)

set(tenspan_cmake_folder "${CMAKE_INSTALL_LIBDIR}/cmake/tenspan")
set(tenspan_pc_folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH tenspan_pc_to_prefix "/prefix/${tenspan_pc_folder}" "/prefix")

configure_package_config_file(cmake/tenspanConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/tenspanConfig.cmake"
  INSTALL_DESTINATION "${tenspan_cmake_folder}"
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/tenspanConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
configure_file(cmake/tenspan.pc.in "${CMAKE_CURRENT_BINARY_DIR}/tenspan.pc" @ONLY)

install(DIRECTORY include/tenspan DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${tenspan_library}" DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
if(WIN32)
  install(FILES "${tenspan_library}.lib" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/tenspanConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/tenspanConfigVersion.cmake"
  DESTINATION "${tenspan_cmake_folder}")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/tenspan.pc" DESTINATION "${tenspan_pc_folder}")
file(GLOB tenspan_licences "${CMAKE_CURRENT_SOURCE_DIR}/../LICENSE-*")
install(FILES ${tenspan_licences} DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/tenspan")
