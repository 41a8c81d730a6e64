# tenspan::runtime: the library that TENSPAN_LIBRARY names, or the one that Cargo builds.

set(tenspan_file "${CMAKE_SHARED_LIBRARY_PREFIX}tenspan${CMAKE_SHARED_LIBRARY_SUFFIX}")
add_library(tenspan_runtime SHARED IMPORTED GLOBAL)
add_library(tenspan::runtime ALIAS tenspan_runtime)

if(TENSPAN_LIBRARY)
  set(tenspan_library "${TENSPAN_LIBRARY}")
  if(NOT EXISTS "${tenspan_library}")
    message(FATAL_ERROR "TENSPAN_LIBRARY is ${tenspan_library}, which does not exist")
  endif()
  # A file named otherwise than its soname would link and not start.
  get_filename_component(tenspan_found "${tenspan_library}" NAME)
  if(NOT tenspan_found STREQUAL tenspan_file)
    message(FATAL_ERROR "TENSPAN_LIBRARY must be called ${tenspan_file}, found ${tenspan_found}")
  endif()
else()
  find_program(TENSPAN_CARGO cargo HINTS "$ENV{HOME}/.cargo/bin")
  if(NOT TENSPAN_CARGO)
    message(FATAL_ERROR "cargo was not found: install Rust from https://rustup.rs, or set TENSPAN_LIBRARY to a prebuilt ${tenspan_file}")
  endif()
  set(tenspan_target "${CMAKE_CURRENT_BINARY_DIR}/cargo")
  set(tenspan_folder "${TENSPAN_CARGO_PROFILE}")
  if(tenspan_folder STREQUAL "dev")
    set(tenspan_folder "debug")
  endif()
  set(tenspan_library "${tenspan_target}/${tenspan_folder}/${tenspan_file}")
  add_custom_target(tenspan_cargo
    COMMAND "${TENSPAN_CARGO}" build --quiet --locked --package tenspan-cpp --profile "${TENSPAN_CARGO_PROFILE}"
            --manifest-path "${CMAKE_CURRENT_SOURCE_DIR}/Cargo.toml" --target-dir "${tenspan_target}"
    BYPRODUCTS "${tenspan_library}"
    COMMENT "Building ${tenspan_file}"
    VERBATIM)
  add_dependencies(tenspan_runtime tenspan_cargo)
endif()

set_target_properties(tenspan_runtime PROPERTIES IMPORTED_LOCATION "${tenspan_library}")
if(WIN32)
  # What programs are linked with there; Cargo puts it beside the library.
  set_target_properties(tenspan_runtime PROPERTIES IMPORTED_IMPLIB "${tenspan_library}.lib")
endif()
