# SPDX-License-Identifier: Apache-2.0
#
# g++ 12 destroys some temporaries of a co_await twice. Its own AddressSanitizer finds that; clang's
# cannot, because clang compiles these correctly. One program has every source and unit test with a
# coroutine (or with one made from a template of ours: Pending), compiled with that sanitizer, and the
# rest of the library as it is in this tree: address checks need no instrumentation of the code around
# them.
function(perdure_with_coroutines out)
    set(found)
    foreach(source IN LISTS ARGN)
        file(STRINGS ${source} lines REGEX "co_await|co_return|Pending<" LIMIT_COUNT 1)
        if(lines)
            list(APPEND found ${source})
        endif()
    endforeach()
    set(${out} ${found} PARENT_SCOPE)
endfunction()

function(perdure_coroutines_test)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU OR PERDURE_SANITIZE OR PERDURE_TESTS_NAMED)
        return()
    endif()
    get_property(modules GLOBAL PROPERTY PERDURE_MODULES)
    set(all)
    foreach(module IN LISTS modules)
        get_target_property(sources perdure_${module} SOURCES)
        list(APPEND all ${sources})
    endforeach()
    get_property(tests GLOBAL PROPERTY PERDURE_UNIT_TESTS)
    perdure_with_coroutines(sources ${all} ${tests})

    set(PERDURE_BUNDLES OFF)
    list(TRANSFORM modules PREPEND perdure::)
    perdure_program(perdure_coroutines_asan_test SOURCES ${sources}
        USES ${modules} GTest::gtest_main GTest::gmock)
    perdure_unoptimised(perdure_coroutines_asan_test)
    target_include_directories(perdure_coroutines_asan_test PRIVATE
        ${perdure_SOURCE_DIR}/src ${perdure_SOURCE_DIR}/tests)
    set_target_properties(perdure_coroutines_asan_test PROPERTIES EXCLUDE_FROM_ALL ON)
    set(PERDURE_SANITIZE address)
    perdure_sanitize(perdure_coroutines_asan_test)
    # The sources are in the libraries too; those given here come first and count.
    target_link_options(perdure_coroutines_asan_test PRIVATE -Wl,-z,muldefs)
    add_test(NAME asan-gcc/coroutines COMMAND perdure_coroutines_asan_test --gtest_brief=1)
    set_tests_properties(asan-gcc/coroutines PROPERTIES LABELS asan-gcc TIMEOUT 300)
endfunction()
perdure_coroutines_test()
