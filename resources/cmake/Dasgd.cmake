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
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ collects garbage each time its heap has doubled from 128 MiB, which takes a seventh of the time of a source. Up to
  # 2 GiB it does not here, which costs a tenth more memory.
  target_compile_options(dasgd_options INTERFACE --param=ggc-min-heapsize=2097152)
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    target_compile_options(dasgd_options INTERFACE -fpch-preprocess)
  endif()
endif()
if(DASGD_SANITIZE)
  # GCC 12 sees uninitialised variants where its own instrumentation cut the paths; clang has no such warning.
  target_compile_options(dasgd_options INTERFACE -fsanitize=${DASGD_SANITIZE} -fno-omit-frame-pointer -g1
                                                 $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(dasgd_options INTERFACE -fsanitize=${DASGD_SANITIZE})
  if(DASGD_SANITIZE MATCHES "undefined")
    # Undefined behaviour ends the test, as a wrong access does: what a test that passes prints, nobody reads.
    target_compile_options(dasgd_options INTERFACE -fno-sanitize-recover=undefined)
    # A look at each pointer before each use doubles the time that a source takes. The address sanitizer finds most of what
    # two of these checks find; the preset fuzz has all three, over what its programs link.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(dasgd_options INTERFACE -fno-sanitize=null,alignment,object-size)
    endif()
  endif()
endif()

# Compiles up to 24 of the target's sources as one: headers of LibTorch, CLI11 and Qt, and what their templates become,
# cost far more than our own lines, so that 31 sources took 96 s as one and 170 s eight at a time. So names in anonymous namespaces must differ within a library or a program of tests. Off for clang-tidy, which wants one
# source at a time. UNITY_BUILD of CMake before 4.0 writes absolute paths, so that no checkout finds in the compiler
# cache what another one compiled. A source with properties of its own has SKIP_UNITY_BUILD_INCLUSION, set before its target.
option(DASGD_UNITY "Compile several sources of a target as one" ON)
function(dasgd_unity name)
  if(NOT DASGD_UNITY)
    return()
  endif()
  get_target_property(sources ${name} SOURCES)
  set(paths "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${path}" generated)
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(generated OR alone OR NOT source MATCHES "^[^$]*\\.cpp$")
      continue()
    endif()
    file(RELATIVE_PATH path "${CMAKE_SOURCE_DIR}" "${path}")
    list(APPEND paths "${path}")
    set_source_files_properties(${source} PROPERTIES HEADER_FILE_ONLY ON)
  endforeach()
  list(LENGTH paths count)
  math(EXPR batches "(${count} + 23) / 24")
  set(batch 0)
  while(batch LESS batches)
    # Of equal sizes, but for one source.
    math(EXPR from "${count} * ${batch} / ${batches}")
    math(EXPR size "${count} * (${batch} + 1) / ${batches} - ${from}")
    list(SUBLIST paths ${from} ${size} these)
    list(TRANSFORM these REPLACE "^(.+)$" "#include \"\\1\"\n")
    list(JOIN these "" text)
    dasgd_unity_source(${name} ${batch} "${text}")
    math(EXPR batch "${batch} + 1")
  endwhile()
  # An Impl that holds a type of its anonymous namespace is a source file's own; g++ takes it for a header's.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

function(dasgd_unity_source name batch text)
  set(file "${CMAKE_CURRENT_BINARY_DIR}/${name}_${batch}.cpp")
  file(CONFIGURE OUTPUT "${file}" CONTENT "${text}" @ONLY)
  target_sources(${name} PRIVATE "${file}")
endfunction()

# dasgd_library(name SOURCES … LINKS …): a static library that sees the root of the tree.
function(dasgd_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC dasgd_options ${arg_LINKS})
  dasgd_unity(${name})
endfunction()

# dasgd_torch_library(name …): the same, with the precompiled torch header.
function(dasgd_torch_library name)
  dasgd_library(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC torch_cpu)
  target_precompile_headers(${name} REUSE_FROM torch_pch)
endfunction()

# dasgd_optimize_lightly(name…): for what waits for people, files and processes. -O1 compiles it in three quarters of the
# time of -O3, and the code is smaller. For the target of a precompiled header and all its users, or for none of them: g++ 12
# crashes where the levels differ.
function(dasgd_optimize_lightly)
  foreach(name IN LISTS ARGN)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# dasgd_sources(OUT FOLDER PATTERN): the files of a folder and of those below that match, in new folders too. A folder with
# a CMakeLists.txt of its own is a library of its own.
function(dasgd_sources out folder pattern)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS "${folder}/${pattern}")
  file(GLOB_RECURSE others "${folder}/*/CMakeLists.txt")
  foreach(other IN LISTS others)
    cmake_path(GET other PARENT_PATH other)
    list(FILTER found EXCLUDE REGEX "^${other}/")
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# dasgd_plugins(name LINKS … [FOLDER …] [SOURCES …]): every .cpp of the folder (by default the current one) and of those
# below, and SOURCES, linked whole, so that no registration is dropped: a static library would lose objects that nobody
# names.
function(dasgd_plugins name)
  cmake_parse_arguments(arg "" "FOLDER" "LINKS;SOURCES" ${ARGN})
  dasgd_sources(found "${CMAKE_CURRENT_SOURCE_DIR}/${arg_FOLDER}" "*.cpp")
  list(APPEND found ${arg_SOURCES})
  list(REMOVE_DUPLICATES found)
  add_library(${name}_objects OBJECT ${found})
  target_link_libraries(${name}_objects PUBLIC dasgd_options ${arg_LINKS})
  dasgd_unity(${name}_objects)
  # Only what links torch may take its precompiled header.
  get_target_property(links ${name}_objects LINK_LIBRARIES)
  if(TARGET torch_pch AND links MATCHES "torch_cpu|core_step")
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

# dasgd_test_header(name LINKS … HEADERS …): one precompiled header for tests that link the same. Reading GoogleTest, Qt
# and torch takes longer than compiling most tests.
function(dasgd_test_header name)
  cmake_parse_arguments(arg "" "" "LINKS;HEADERS" ${ARGN})
  add_library(${name} OBJECT "${CMAKE_SOURCE_DIR}/resources/cmake/torch_pch.cpp")
  target_link_libraries(${name} PRIVATE dasgd_options ${arg_LINKS} GTest::gmock GTest::gtest)
  target_compile_options(${name} PRIVATE ${DASGD_TEST_OPTIONS})
  target_precompile_headers(${name} PRIVATE <gtest/gtest.h> <gmock/gmock.h> ${arg_HEADERS})
endfunction()

# Tests are compiled once and run once. A precompiled header wants -fPIC of its users where executables have -fPIE.
set(DASGD_TEST_OPTIONS -O0 -fPIC)

# dasgd_test(core/base LINKS …): every tests/core/base/*_test.cpp, and SOURCES, in one program, core_base_test; with FOLDERS
# those of these folders below it, `.` for its own; with FILES only those; with PLUGINS those of all folders below, so that
# tests over a registry see what each plug-in's test registers. EXCEPT leaves files out. NAME is the program's, HEADER a
# dasgd_test_header. Label: the folder, `tree` at the root. Few programs of many folders: what tests of an area include costs
# as much as their own lines, so that eight programs of 28 sources took 61 s of a core, and one 24 s. Every test runs in a
# process of its own and has 180 s (tests/support/isolated), one after the other. SHARDS splits the tests of a slow program
# into as many entries of ctest, which run side by side: as many as there are processors, or twice as many of those that
# WAIT for processes and windows more than they compute.
function(dasgd_test folder)
  cmake_parse_arguments(arg "PLUGINS;WAITS" "NAME;HEADER;SHARDS" "LINKS;SOURCES;FOLDERS;FILES;EXCEPT" ${ARGN})
  set(path "${CMAKE_SOURCE_DIR}/tests/${folder}")
  if(NOT arg_FOLDERS)
    set(arg_FOLDERS .)
  endif()
  if(arg_FILES)
    list(TRANSFORM arg_FILES PREPEND "${path}/" OUTPUT_VARIABLE files)
  elseif(arg_PLUGINS)
    dasgd_sources(files "${path}" "*_test.cpp")
  else()
    set(files "")
    foreach(below IN LISTS arg_FOLDERS)
      file(GLOB found CONFIGURE_DEPENDS "${path}/${below}/*_test.cpp")
      if(NOT found)
        message(FATAL_ERROR "tests/${folder}/${below} has no test")
      endif()
      foreach(file IN LISTS found)
        cmake_path(NORMAL_PATH file)
        list(APPEND files "${file}")
      endforeach()
    endforeach()
    foreach(name IN LISTS arg_EXCEPT)
      list(REMOVE_ITEM files "${path}/${name}")
    endforeach()
  endif()
  if(NOT arg_NAME)
    string(REPLACE "/" "_" arg_NAME "${folder}_test")
  endif()
  add_executable(${arg_NAME} ${files} ${arg_SOURCES})
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  target_link_libraries(${arg_NAME} PRIVATE dasgd_options ${arg_LINKS} GTest::gmock GTest::gtest dasgd_test_main)
  # A path on the command line of every source would make each checkout miss the compiler cache.
  target_link_libraries(${arg_NAME} PRIVATE dasgd_test_paths)
  target_compile_options(${arg_NAME} PRIVATE ${DASGD_TEST_OPTIONS})
  if(NOT arg_HEADER)
    set(arg_HEADER plain_test_header)
  endif()
  target_precompile_headers(${arg_NAME} REUSE_FROM ${arg_HEADER})
  dasgd_unity(${arg_NAME})
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  set(slots 2)  # of those that ./lab gives to ctest, two a processor
  if(arg_WAITS)
    set(slots 1)
  endif()
  math(EXPR last "${arg_SHARDS} - 1")
  foreach(shard RANGE ${last})
    set(entry ${arg_NAME})
    set(environment "")
    if(arg_SHARDS GREATER 1)
      string(APPEND entry "_${shard}")
      set(environment "GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${shard}")
    endif()
    add_test(NAME ${entry} COMMAND ${arg_NAME} --isolate)
    set_tests_properties(${entry} PROPERTIES LABELS "${folder}" TIMEOUT 1500 ENVIRONMENT "${environment}"
                                             PROCESSORS ${slots})
  endforeach()
endfunction()
