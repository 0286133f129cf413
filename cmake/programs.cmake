# SPDX-License-Identifier: Apache-2.0
#
# Programs and tests:
#
#     perdure_program(perdure_probe SOURCES probe.cpp USES perdure::core)
#     perdure_test(time MODULES core USES core)       tests/time/*_test.cpp as perdure_time_test
include_guard()

set(PERDURE_TESTS_NAMED "" CACHE STRING
    "Only test files with a suite or test so named are built: a regular expression, for sanitizers")
set(PERDURE_TESTS_LEFT_OUT "" CACHE STRING
    "Test files with such a path are not built: regular expressions, for slow statistics")

# A folder with a CMakeLists.txt of its own.
function(perdure_folder folder)
    cmake_parse_arguments(PARSE_ARGV 1 folder "" "IF" "")
    if(${folder_IF})
        add_subdirectory(${perdure_SOURCE_DIR}/${folder} ${perdure_BINARY_DIR}/${folder})
    endif()
endfunction()

function(perdure_program target)
    cmake_parse_arguments(PARSE_ARGV 1 program "" "" "SOURCES;USES")
    add_executable(${target} ${program_SOURCES})
    target_link_libraries(${target} PRIVATE ${program_USES})
    perdure_flags(${target})
    perdure_bundle(${target})
endfunction()

# Twice as quick to compile; the slow part of a test is in the library, which is optimised.
function(perdure_unoptimised target)
    if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
        target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0>)
    endif()
endfunction()

# Leaves in `list` the test files that this build tree looks at.
function(perdure_choose_tests list)
    set(chosen ${${list}})
    foreach(pattern IN LISTS PERDURE_TESTS_LEFT_OUT)
        list(FILTER chosen EXCLUDE REGEX "${pattern}")
    endforeach()
    if(PERDURE_TESTS_NAMED)
        foreach(source IN LISTS chosen)
            file(STRINGS ${source} named REGEX "^TEST(_F)?\\(.*(${PERDURE_TESTS_NAMED})")
            if(NOT named)
                list(REMOVE_ITEM chosen ${source})
            endif()
        endforeach()
    endif()
    set(${list} ${chosen} PARENT_SCOPE)
endfunction()

# `make test MODULE=<module>` builds the target test-<module>.
function(perdure_test_of module target)
    if(NOT TARGET test-${module})
        add_custom_target(test-${module})
    endif()
    add_dependencies(test-${module} ${target})
endfunction()

# One executable, perdure_<name>_test, for the *_test.cpp of its FOLDERS below tests/ (the name's own
# folder if none is given). USES: modules or targets; if one is not built, neither is the test. MODULES:
# the modules whose test it is, also its labels. Its tests are listed when ctest starts and not by the
# build, so that a test that hangs cannot hang a build.
function(perdure_test name)
    cmake_parse_arguments(PARSE_ARGV 1 test "" "" "FOLDERS;MODULES;USES;LIBRARIES;SOURCES")
    set(targets)
    foreach(used IN LISTS test_USES)
        if(TARGET perdure::${used})
            set(used perdure::${used})
        elseif(NOT TARGET ${used})
            return()
        endif()
        list(APPEND targets ${used})
    endforeach()
    if(NOT test_FOLDERS)
        set(test_FOLDERS ${name})
    endif()
    list(TRANSFORM test_FOLDERS REPLACE "(.+)" "${perdure_SOURCE_DIR}/tests/\\1/*_test.cpp")
    file(GLOB sources CONFIGURE_DEPENDS ${test_FOLDERS})
    perdure_choose_tests(sources)
    if(NOT sources)
        return()
    endif()
    set_property(GLOBAL APPEND PROPERTY PERDURE_UNIT_TESTS ${sources})
    string(MAKE_C_IDENTIFIER perdure_${name}_test target)
    perdure_program(${target} SOURCES ${sources} ${test_SOURCES} USES ${targets} GTest::gtest_main GTest::gmock)
    perdure_unoptimised(${target})
    foreach(library IN LISTS test_LIBRARIES)
        perdure_use_library(${target} ${library})
    endforeach()
    target_include_directories(${target} PRIVATE
        ${perdure_SOURCE_DIR}/src ${perdure_SOURCE_DIR}/tests)
    list(REMOVE_DUPLICATES test_MODULES)
    foreach(module IN LISTS test_MODULES)
        perdure_test_of(${module} ${target})
    endforeach()
    gtest_discover_tests(${target}
        TEST_PREFIX ${name}/
        DISCOVERY_MODE PRE_TEST
        PROPERTIES TIMEOUT 60 LABELS "${test_MODULES}")
endfunction()
