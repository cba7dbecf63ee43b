# Helpers that keep each folder's CMake file short.

find_program(DASGD_CCACHE ccache)
if(DASGD_CCACHE)
  # Precompiled headers are cached only with this sloppiness.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
               CCACHE_NOHASHDIR=1 ${DASGD_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()

add_library(dasgd_options INTERFACE)
target_compile_options(dasgd_options INTERFACE -Wall -Wextra -Werror -Wno-missing-field-initializers)
target_include_directories(dasgd_options INTERFACE "${CMAKE_SOURCE_DIR}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  target_compile_options(dasgd_options INTERFACE -fpch-preprocess)
endif()
if(DASGD_SANITIZE)
  # GCC 12 sees uninitialised variants where its own instrumentation cut the paths.
  target_compile_options(dasgd_options INTERFACE -fsanitize=${DASGD_SANITIZE} -fno-omit-frame-pointer -g1
                                                 -Wno-maybe-uninitialized)
  target_link_options(dasgd_options INTERFACE -fsanitize=${DASGD_SANITIZE})
endif()

# dasgd_library(name SOURCES … LINKS …): a static library that sees the root of the tree.
function(dasgd_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC dasgd_options ${arg_LINKS})
endfunction()

# dasgd_torch_library(name …): the same, with the precompiled torch header.
function(dasgd_torch_library name)
  dasgd_library(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC torch_cpu)
  target_precompile_headers(${name} REUSE_FROM torch_pch)
endfunction()

# dasgd_plugins(name LINKS … [SOURCES …]): every .cpp of the folder, or those named, linked whole, so that no registration
# is dropped: a static library would lose objects that nobody names.
function(dasgd_plugins name)
  cmake_parse_arguments(arg "" "" "LINKS;SOURCES" ${ARGN})
  set(sources ${arg_SOURCES})
  if(NOT sources)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  endif()
  add_library(${name}_objects OBJECT ${sources})
  target_link_libraries(${name}_objects PUBLIC dasgd_options ${arg_LINKS})
  if(TARGET torch_pch AND NOT name MATCHES "gui|topologies")
    target_precompile_headers(${name}_objects REUSE_FROM torch_pch)
  endif()
  add_library(${name} INTERFACE)
  target_link_libraries(${name} INTERFACE ${name}_objects $<TARGET_OBJECTS:${name}_objects>)
endfunction()

# For executables that see torch. The precompiled header is -fPIC, which must not differ from its user's -fPIE.
function(dasgd_reuse_torch_header name)
  target_compile_options(${name} PRIVATE -fPIC)
  target_precompile_headers(${name} REUSE_FROM torch_pch)
endfunction()

# dasgd_test(base/journal LINKS …): tests/base/journal_test.cpp as one program; `TORCH` takes the precompiled header.
# Labels: the folder, `tree` at the root. A test has 60 s.
function(dasgd_test path)
  cmake_parse_arguments(arg "TORCH" "" "LINKS;SOURCES" ${ARGN})
  string(REPLACE "/" "_" name "${path}_test")
  add_executable(${name} "${CMAKE_SOURCE_DIR}/tests/${path}_test.cpp" ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  target_link_libraries(${name} PRIVATE dasgd_options ${arg_LINKS} GTest::gmock GTest::gtest GTest::gtest_main)
  if(arg_TORCH)
    dasgd_reuse_torch_header(${name})
  endif()
  get_filename_component(folder "${path}" DIRECTORY)
  if(NOT folder)
    set(folder tree)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 TEST_PREFIX "${folder}/"
                       PROPERTIES TIMEOUT 60 LABELS "${folder}")
endfunction()
