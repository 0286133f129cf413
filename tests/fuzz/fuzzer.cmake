# SPDX-License-Identifier: Apache-2.0
# perdure_fuzz(http_codec USES perdure::http): <name>_fuzz.cpp, the test fuzz/<name>.
function(perdure_fuzz name)
    cmake_parse_arguments(PARSE_ARGV 1 fuzz "" "SEEDS" "USES")
    set(target perdure_${name}_fuzz)
    perdure_program(${target} SOURCES ${name}_fuzz.cpp USES ${fuzz_USES})
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    set(corpus ${CMAKE_CURRENT_BINARY_DIR}/${name})
    file(MAKE_DIRECTORY ${corpus})
    set(seeds ${CMAKE_CURRENT_SOURCE_DIR}/seeds/${name})
    if(fuzz_SEEDS)
        set(seeds ${perdure_SOURCE_DIR}/tools/perdure/${fuzz_SEEDS})
    elseif(NOT IS_DIRECTORY ${seeds})
        set(seeds)
    endif()
    target_include_directories(${target} PRIVATE ${perdure_SOURCE_DIR}/src)
    add_test(NAME fuzz/${name} COMMAND ${target}
        -runs=20000 -max_total_time=10 -seed=1 -rss_limit_mb=512 -artifact_prefix=${corpus}/ ${corpus} ${seeds})
    # What was freed counts as used until the quarantine is full: by default a quarter of a gigabyte.
    set_tests_properties(fuzz/${name} PROPERTIES LABELS fuzz TIMEOUT 120
        ENVIRONMENT ASAN_OPTIONS=quarantine_size_mb=32)
endfunction()
