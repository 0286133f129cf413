# SPDX-License-Identifier: Apache-2.0
#
# Unity builds: several sources are compiled as one translation unit, a bundle, because most of the
# time of a small file goes into the headers it includes (docs/decisions/2026-11-17-bundles.md).
include_guard()

option(PERDURE_BUNDLES "Compile sources in bundles (a unity build): three times quicker from nothing" ON)
# A bundle of this many lines takes about six seconds at -O2, which is also what a change in one of
# its files costs.
set(PERDURE_BUNDLE_LINES 1300 CACHE STRING "Lines of source in one bundle, at most")
mark_as_advanced(PERDURE_BUNDLE_LINES)

# Lines of a file, in steps of 50: a small change must not move the files behind it to other bundles.
function(perdure_lines path out)
    file(SIZE ${path} bytes)
    # 37 bytes to a line is the average of this tree.
    math(EXPR lines "(${bytes} / 37 + 49) / 50 * 50")
    set(${out} ${lines} PARENT_SCOPE)
endfunction()

# Puts the sources of a target into bundles of about the same size, folder by folder in the order of
# their names. Files with compile options of their own, and generated ones, stay alone.
function(perdure_bundle target)
    if(NOT PERDURE_BUNDLES)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    list(LENGTH sources count)
    if(count EQUAL 1)
        return()
    endif()
    list(SORT sources)
    set(number 0)
    set(filled 0)
    foreach(source IN LISTS sources)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE path)
        get_source_file_property(generated ${path} GENERATED)
        if(generated OR NOT EXISTS ${path})
            set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
            continue()
        endif()
        perdure_lines(${path} lines)
        math(EXPR filled "${filled} + ${lines}")
        if(filled GREATER PERDURE_BUNDLE_LINES)
            math(EXPR number "${number} + 1")
            set(filled ${lines})
        endif()
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_${number})
    endforeach()
    # -Wshadow would report names of other files in the bundle; g++ treats bundled files as headers
    # (-Wsubobject-linkage). `make verify` compiles every file alone with all warnings.
    if(perdure_IS_TOP_LEVEL)
        set(shadow -Wshadow=local)
    endif()
    target_compile_options(${target} PRIVATE -Wno-shadow
        $<$<CXX_COMPILER_ID:GNU>:${shadow};-Wno-subobject-linkage>
        # g++ stops inlining when a unit has grown by 40 %, which a bundle reaches sooner than its files
        # do alone: 3,000 of 30,000 instructions of a call to DynamoDB.
        $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:--param=inline-unit-growth=1000>)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
        # Or a test that opens perdure::testing first would declare another one beside the library's.
        UNITY_BUILD_CODE_BEFORE_INCLUDE "namespace perdure { inline namespace v0 { namespace testing {} } }")
endfunction()
