# SPDX-License-Identifier: Apache-2.0
#
# Compiler flags of all our targets. Those of bundles are in bundles.cmake, of some modules in
# CMakeLists.txt (OPTIMISE), of tests in programs.cmake, against exploits in hardening.cmake. Nothing here
# touches a target of another project, and nothing global is set unless Perdure is the top-level project.
include_guard()

set(PERDURE_SANITIZE "" CACHE STRING "Sanitizers for everything built here, as in -fsanitize=")
# On in the presets only: a newer compiler must not break a user's build.
option(PERDURE_WERROR "Treat warnings as errors" OFF)

if(perdure_IS_TOP_LEVEL)
    if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
        set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
    endif()
    # CMake's default for Release is -O3, which takes a fifth more time to compile. The instruction limits of
    # tests/bench hold with -O2, except for Cosmos DB, whose modules have OPTIMISE -O3. Flags set by the
    # user stay as they are.
    if(PERDURE_FLAGS_OF_CMAKE AND CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")
        set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
    endif()
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${perdure_BINARY_DIR}/bin)

    find_program(PERDURE_CCACHE ccache)
    if(PERDURE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
        set(CMAKE_CXX_COMPILER_LAUNCHER ${PERDURE_CCACHE})
    endif()

    # Checked by linking, not by looking for the program: some compilers do not accept this linker.
    find_program(PERDURE_MOLD mold)
    if(PERDURE_MOLD)
        include(CheckLinkerFlag)
        check_linker_flag(CXX -fuse-ld=mold PERDURE_MOLD_LINKS)
    endif()
endif()

# The sanitizer flags of PERDURE_SANITIZE for one target.
function(perdure_sanitize target)
    set(sanitize -fsanitize=${PERDURE_SANITIZE} -fno-sanitize-recover=all)
    target_compile_options(${target} PRIVATE ${sanitize} -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE ${sanitize})
    if(PERDURE_SANITIZE MATCHES thread)
        # g++ 12 cannot follow Asio's bare fences. Without them its queues' locks order the same.
        target_compile_definitions(${target} PRIVATE ASIO_DISABLE_FENCED_BLOCK)
    endif()
endfunction()

# The flags of one of our own targets.
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
            # Statistical tests are too slow at -O0. Lines are enough for a stack trace; the rest of
            # -g takes a tenth of the time (-DCMAKE_CXX_FLAGS=-ggdb3 brings it back).
            $<$<CONFIG:Debug>:-O1;-g1>
            # g++ 12 sees overlaps in "a" + std::string where there are none (GCC bug 105651).
            $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
        target_compile_definitions(${target} PRIVATE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
    endif()
    if(PERDURE_WERROR)
        set_target_properties(${target} PROPERTIES COMPILE_WARNING_AS_ERROR ON)
    endif()
    if(PERDURE_SANITIZE)
        perdure_sanitize(${target})
    endif()
    if(PERDURE_FUZZ)
        # Coverage marks in the library too, or a fuzzer would search blindly.
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
    if(PERDURE_MOLD_LINKS)
        target_link_options(${target} PRIVATE -fuse-ld=mold)
    endif()
endfunction()
