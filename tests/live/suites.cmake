# SPDX-License-Identifier: Apache-2.0
#
# Servers live as long as the process that started them, so each suite is one test of ctest's and not
# one for each of its tests:
#
#     perdure_live_suites(dynamodb USES perdure::dynamodb)
#
# makes perdure_live_dynamodb_test of this folder and its support/, and the tests live/dynamodb/<Suite>.
# Under the sanitizers only suites with "Brief" in their names are built and run.
include_guard()

function(perdure_suites_of source into)
    set(suites)
    file(STRINGS ${source} lines REGEX "^(TEST(_F|_P)?|INSTANTIATE_TEST_SUITE_P)\\(")
    foreach(line IN LISTS lines)
        # A suite's tests may be in another file than its INSTANTIATE_TEST_SUITE_P.
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
    foreach(pattern IN LISTS PERDURE_TESTS_LEFT_OUT)
        list(FILTER found EXCLUDE REGEX "${pattern}")
    endforeach()
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

function(perdure_suite_tests program)
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
    # Two locks, dealt out in turn.
    set(lock 0)
    foreach(suite IN LISTS ARGN)
        add_test(NAME live/${folder}/${suite}
            COMMAND ${program} "--gtest_filter=${suite}.*:*/${suite}.*")
        # A suite is skipped if none of its tests ran and none failed; its output then ends like this.
        set_tests_properties(live/${folder}/${suite} PROPERTIES
            LABELS "live;${folder}"
            TIMEOUT 300
            RESOURCE_LOCK perdure-sql-${lock}
            SKIP_REGULAR_EXPRESSION
                "\\[  PASSED  \\] 0 tests\\.\n\\[  SKIPPED \\][^\n]*\n(\\[  SKIPPED \\][^\n]*\n)+$")
        math(EXPR lock "1 - ${lock}")
    endforeach()
endfunction()

function(perdure_live_suites folder)
    cmake_parse_arguments(PARSE_ARGV 1 live "" "" "USES;SOURCES")
    foreach(used IN LISTS live_USES)
        if(NOT TARGET ${used})
            message(STATUS "tests/live/${folder} is left out: there is no ${used}")
            return()
        endif()
    endforeach()
    perdure_suites(sources suites)
    if(NOT sources)
        return()
    endif()
    file(GLOB support CONFIGURE_DEPENDS support/*.cpp)
    set(target perdure_live_${folder}_test)
    perdure_program(${target} SOURCES ${sources} ${support} ${live_SOURCES}
        USES perdure_live_support ${live_USES} GTest::gtest_main GTest::gmock)
    perdure_unoptimised(${target})
    perdure_suite_tests(${target} ${suites})
    perdure_test_of(live ${target})
endfunction()
