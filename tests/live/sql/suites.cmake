# SPDX-License-Identifier: Apache-2.0
#
# Each suite as one test of ctest's:
#
#     perdure_suites(sources suites)             which suites are to be run, and the files with them
#     perdure_suite_tests(program ${suites})     at most two of them run at once
include_guard()

function(perdure_suites_of source into)
    set(suites)
    file(STRINGS ${source} lines REGEX "^(TEST(_F|_P)?|INSTANTIATE_TEST_SUITE_P)\\(")
    foreach(line IN LISTS lines)
        # Tests of a suite may stand elsewhere than what they are run on.
        string(REGEX REPLACE "^INSTANTIATE_TEST_SUITE_P\\([^,]+," "TEST_P(" line "${line}")
        string(REGEX REPLACE "^TEST(_F|_P)?\\( *([A-Za-z0-9_]+).*" "\\2" suite "${line}")
        list(APPEND suites ${suite})
    endforeach()
    list(REMOVE_DUPLICATES suites)
    if(PERDURE_TESTS_NAMED)
        list(FILTER suites INCLUDE REGEX "${PERDURE_TESTS_NAMED}")
    endif()
    if(PERDURE_SANITIZE)
        list(FILTER suites INCLUDE REGEX "Brief")
    endif()
    set(${into} ${suites} PARENT_SCOPE)
endfunction()

function(perdure_suites into_sources into_suites)
    file(GLOB found CONFIGURE_DEPENDS *_test.cpp)
    if(PERDURE_TESTS_LEFT_OUT)
        list(FILTER found EXCLUDE REGEX "${PERDURE_TESTS_LEFT_OUT}")
    endif()
    # A file that changes may have other suites then.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${found})
    set(sources)
    set(suites)
    foreach(source IN LISTS found)
        perdure_suites_of(${source} of_file)
        if(of_file)
            list(APPEND sources ${source})
            list(APPEND suites ${of_file})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES suites)
    set(${into_sources} ${sources} PARENT_SCOPE)
    set(${into_suites} ${suites} PARENT_SCOPE)
endfunction()

# What every target of a load promises is for those that are tested here.
function(perdure_with_load_contract list)
    if("${${list}}" MATCHES "/[a-z]+_target_test.cpp")
        list(APPEND ${list} ${perdure_SOURCE_DIR}/tests/tools/load_target_contract.cpp)
        set(${list} ${${list}} PARENT_SCOPE)
    endif()
endfunction()

function(perdure_suite_tests program)
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
    # Two locks, dealt out in turn.
    set(lock 0)
    foreach(suite IN LISTS ARGN)
        add_test(NAME live/${folder}/${suite}
            COMMAND ${program} "--gtest_filter=${suite}.*:*/${suite}.*")
        # Skipped is a suite of which nothing was run and nothing failed: so ends its output then.
        set_tests_properties(live/${folder}/${suite} PROPERTIES
            LABELS "live;${folder}"
            TIMEOUT 300
            RESOURCE_LOCK perdure-sql-${lock}
            SKIP_REGULAR_EXPRESSION
                "\\[  PASSED  \\] 0 tests\\.\n\\[  SKIPPED \\][^\n]*\n(\\[  SKIPPED \\][^\n]*\n)+$")
        math(EXPR lock "1 - ${lock}")
    endforeach()
endfunction()
