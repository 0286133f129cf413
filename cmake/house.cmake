# SPDX-License-Identifier: Apache-2.0
#
# What is a room, and how is it built? This is the only file with compiler flags in it; the files
# that say *what* is built call these functions:
#
#     perdure_room(core FOLDERS . time stats USES Threads::Threads)   a library: perdure::core
#     perdure_program(perdure SOURCES main.cpp USES perdure::core)    an executable
#     perdure_test(time USES perdure::core)                           tests/time/*_test.cpp as one
#
# Nothing here touches a target of another project, and nothing global is set unless Perdure is
# the top-level project.
include_guard()
include(GNUInstallDirs)

option(PERDURE_BUNDLES "Compile sources in bundles: quicker from nothing, slower after a change" OFF)

if(perdure_IS_TOP_LEVEL)
    if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
        set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
    endif()
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${perdure_BINARY_DIR}/bin)

    find_program(PERDURE_CCACHE ccache)
    if(PERDURE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
        set(CMAKE_CXX_COMPILER_LAUNCHER ${PERDURE_CCACHE})
    endif()

    # Asked by linking, not by looking for the program: not every compiler takes this linker.
    find_program(PERDURE_MOLD mold)
    if(PERDURE_MOLD)
        include(CheckLinkerFlag)
        check_linker_flag(CXX -fuse-ld=mold PERDURE_MOLD_LINKS)
    endif()
endif()

# The flags of the house, for one of our own targets.
function(perdure_flags target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
        # A fused multiply-add rounds once where others round twice: simulations must not differ.
        target_compile_options(${target} PRIVATE -ffp-contract=off)
    endif()
    if(NOT perdure_IS_TOP_LEVEL)
        return()
    endif()

    if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
        target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
            # Statistical tests are too slow on rooms at -O0.
            $<$<CONFIG:Debug>:-O1>
            # g++ 12 sees overlaps in "a" + std::string where there are none (GCC bug 105651).
            $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
        target_compile_definitions(${target} PRIVATE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
    endif()
    if(PERDURE_WERROR)
        set_target_properties(${target} PROPERTIES COMPILE_WARNING_AS_ERROR ON)
    endif()
    if(PERDURE_SANITIZE)
        set(sanitize -fsanitize=${PERDURE_SANITIZE} -fno-sanitize-recover=all)
        # Lines are enough for a stack trace; the rest of -g costs a tenth of the time.
        target_compile_options(${target} PRIVATE ${sanitize} -fno-omit-frame-pointer -g1)
        target_link_options(${target} PRIVATE ${sanitize})
        if(PERDURE_SANITIZE MATCHES thread)
            # g++ 12 cannot follow Asio's bare fences; without them its queues' locks say the same.
            target_compile_definitions(${target} PRIVATE ASIO_DISABLE_FENCED_BLOCK)
        endif()
    endif()
    if(PERDURE_FUZZ)
        # Coverage marks in the library too, or a fuzzer would search blindly.
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
    if(PERDURE_MOLD_LINKS)
        target_link_options(${target} PRIVATE -fuse-ld=mold)
    endif()
endfunction()

# Files of one folder are compiled in bundles by their first letter, which from nothing takes a third
# less time. By letter, so that a new file changes one bundle and not all behind it. In a
# bundle two files cannot use one name in their anonymous namespaces; tables of errors, commands of
# the tool and their tests, and studies of the simulator, each with the same small words, stay alone
# (docs/decisions/2026-11-17-bundles-by-letter.md).
function(perdure_bundle target)
    get_target_property(sources ${target} SOURCES)
    list(LENGTH sources count)
    if(count EQUAL 1)
        return()
    endif()
    foreach(source IN LISTS sources)
        cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
        if(path MATCHES "(_(errors|table)(_[a-z]+)?|/tools/perdure/[^/]+|/tests/(sim|tools)/[^/]+)\\.cpp$")
            set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
            continue()
        endif()
        cmake_path(GET path STEM name)
        cmake_path(GET path PARENT_PATH folder)
        cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${perdure_SOURCE_DIR})
        foreach(letters IN ITEMS a-b c d-h i-o p-q r-s t-z)
            if(name MATCHES "^[${letters}]")
                string(MAKE_C_IDENTIFIER "${folder}_${letters}" bundle)
                set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${bundle})
            endif()
        endforeach()
    endforeach()
    # A local name hides nothing that another file calls so; and g++ takes bundled files for headers.
    target_compile_options(${target} PRIVATE -Wno-shadow
        $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local -Wno-subobject-linkage>)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
        # Or a test that opens perdure::testing first would make another one beside the library's.
        UNITY_BUILD_CODE_BEFORE_INCLUDE "namespace perdure { inline namespace v0 { namespace testing {} } }")
endfunction()

# A room is one or more folders: their headers under include/perdure, their sources under src.
# USES is seen by those who use the room, NEEDS only by its sources; PKGCONFIG names the latter.
# A file in the folder is part of the room (docs/decisions/2026-11-16-folders-are-the-list.md).
function(perdure_room name)
    cmake_parse_arguments(PARSE_ARGV 1 room "" "" "FOLDERS;SOURCES;USES;NEEDS;PKGCONFIG")
    set(sources ${room_SOURCES})
    set(headers)
    foreach(folder IN LISTS room_FOLDERS)
        file(GLOB found CONFIGURE_DEPENDS ${perdure_SOURCE_DIR}/src/${folder}/*.cpp)
        list(APPEND sources ${found})
        file(GLOB found CONFIGURE_DEPENDS ${perdure_SOURCE_DIR}/include/perdure/${folder}/*.hpp)
        list(APPEND headers ${found})
    endforeach()

    if(NOT sources)
        return()
    endif()
    set(target perdure_${name})
    add_library(${target} ${sources})
    add_library(perdure::${name} ALIAS ${target})
    target_sources(${target} PUBLIC
        FILE_SET HEADERS BASE_DIRS ${perdure_SOURCE_DIR}/include FILES ${headers})
    target_include_directories(${target} PRIVATE ${perdure_SOURCE_DIR}/src)
    target_link_libraries(${target} PUBLIC ${room_USES} PRIVATE ${room_NEEDS})
    set_target_properties(${target} PROPERTIES
        EXPORT_NAME ${name}
        LINKER_LANGUAGE CXX
        VERSION ${perdure_VERSION}
        SOVERSION ${perdure_VERSION_MAJOR}.${perdure_VERSION_MINOR})
    perdure_flags(${target})
    # Not in a release: a bundled core takes 6 % more instructions for a call that goes well.
    if(PERDURE_BUNDLES AND NOT CMAKE_BUILD_TYPE STREQUAL Release)
        perdure_bundle(${target})
    endif()
    perdure_package_room(${name} USES ${room_USES} PKGCONFIG ${room_PKGCONFIG})

    set_property(GLOBAL APPEND PROPERTY PERDURE_ROOMS ${name})
    string(REPLACE "." "vocabulary" folders "${room_FOLDERS}")
    set_property(GLOBAL APPEND PROPERTY PERDURE_FOLDERS ${folders})
endfunction()

function(perdure_program target)
    cmake_parse_arguments(PARSE_ARGV 1 program "" "" "SOURCES;USES")
    add_executable(${target} ${program_SOURCES})
    target_link_libraries(${target} PRIVATE ${program_USES})
    perdure_flags(${target})
    if(target MATCHES "_test$")
        # Twice as quick to compile; what takes its time is in the rooms, which keep -O1.
        target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0>)
    endif()
    if(PERDURE_BUNDLES)
        perdure_bundle(${target})
    endif()
endfunction()

# One executable, perdure_<folder>_test, for all of tests/<folder>. Its tests are listed when ctest
# starts and not by the build, so that a test that hangs cannot hang a build.
function(perdure_test folder)
    cmake_parse_arguments(PARSE_ARGV 1 test "" "" "USES")
    file(GLOB sources CONFIGURE_DEPENDS ${perdure_SOURCE_DIR}/tests/${folder}/*_test.cpp)
    if(PERDURE_TESTS_LEFT_OUT)
        list(FILTER sources EXCLUDE REGEX "${PERDURE_TESTS_LEFT_OUT}")
    endif()
    if(PERDURE_TESTS_NAMED)
        foreach(source IN LISTS sources)
            file(STRINGS ${source} named REGEX "^TEST(_F)?\\(.*(${PERDURE_TESTS_NAMED})")
            if(NOT named)
                list(REMOVE_ITEM sources ${source})
            endif()
        endforeach()
    endif()
    if(NOT sources)
        return()
    endif()
    string(REPLACE "/" "_" name ${folder})
    set(target perdure_${name}_test)
    perdure_program(${target} SOURCES ${sources} USES ${test_USES} GTest::gtest_main GTest::gmock)
    target_include_directories(${target} PRIVATE
        ${perdure_SOURCE_DIR}/src ${perdure_SOURCE_DIR}/tests)
    gtest_discover_tests(${target}
        TEST_PREFIX ${folder}/
        DISCOVERY_MODE PRE_TEST
        PROPERTIES TIMEOUT 60 LABELS ${folder})
endfunction()

# A part of the tree with a CMakeLists.txt of its own, built if its option says so.
function(perdure_wing folder)
    cmake_parse_arguments(PARSE_ARGV 1 wing "" "IF" "")
    if(${wing_IF} AND EXISTS ${perdure_SOURCE_DIR}/${folder}/CMakeLists.txt)
        add_subdirectory(${perdure_SOURCE_DIR}/${folder} ${perdure_BINARY_DIR}/${folder})
        set_property(GLOBAL APPEND PROPERTY PERDURE_WINGS ${folder})
    endif()
endfunction()

function(perdure_say_what_is_furnished)
    get_property(rooms GLOBAL PROPERTY PERDURE_ROOMS)
    get_property(folders GLOBAL PROPERTY PERDURE_FOLDERS)
    get_property(wings GLOBAL PROPERTY PERDURE_WINGS)
    list(JOIN rooms " " rooms)
    list(JOIN folders " " folders)
    list(JOIN wings " " wings)
    message(STATUS "Perdure ${perdure_VERSION}: rooms ${rooms} (${folders})")
    message(STATUS "  beside them: ${wings}")
    message(STATUS "  compiler ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, "
        "${CMAKE_BUILD_TYPE}, sanitizers: ${PERDURE_SANITIZE}")
endfunction()
