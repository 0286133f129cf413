# SPDX-License-Identifier: Apache-2.0
#
# Compiler and linker flags that make a memory error harder to exploit, for optimised builds: what parses
# the bytes of hostile servers and files should stop at its first overflow. They are PRIVATE: a program
# that links Perdure keeps its own flags. tests/package/installed_test.py looks for their traces in an
# installed tool.
include_guard()

set(PERDURE_HARDENING AUTO CACHE STRING
    "Hardening flags in optimised builds: AUTO (ON, unless another project takes Perdure in), ON or OFF")
set_property(CACHE PERDURE_HARDENING PROPERTY STRINGS AUTO ON OFF)

# Whether this build is hardened, and the flags that not every compiler and processor has.
function(perdure_decide_hardening)
    string(TOUPPER "${PERDURE_HARDENING}" wish)
    set(decided OFF)
    if(wish STREQUAL AUTO)
        set(decided ${perdure_IS_TOP_LEVEL})
    elseif(wish MATCHES "^(ON|TRUE|YES|Y|1)$")
        set(decided ON)
    elseif(NOT wish MATCHES "^(OFF|FALSE|NO|N|0)$")
        message(FATAL_ERROR "PERDURE_HARDENING is \"${PERDURE_HARDENING}\"; it takes AUTO, ON or OFF")
    endif()
    # Sanitizers have checks of their own, which FORTIFY's would hide.
    if(PERDURE_SANITIZE OR NOT CMAKE_SYSTEM_NAME STREQUAL Linux OR NOT CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
        set(decided OFF)
    endif()
    if(decided)
        include(CheckCXXCompilerFlag)
        check_cxx_compiler_flag(-fstack-clash-protection PERDURE_STACK_CLASH_PROTECTION)
        if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i[3-6]86)$")
            check_cxx_compiler_flag(-fcf-protection=return PERDURE_CF_PROTECTION)
        endif()
    endif()
    set(PERDURE_HARDENED ${decided} PARENT_SCOPE)
endfunction()
perdure_decide_hardening()

# Hardens a target that is installed, a module or a part of the tool. ASSERTIONS: also those of the C++
# library, which a module does not get: the instruction limits of tests/bench do not allow them.
function(perdure_harden target)
    if(NOT PERDURE_HARDENED)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 1 harden "ASSERTIONS" "" "")
    # FORTIFY does nothing without optimisation; Debug has assertions of its own.
    set(optimised CONFIG:Release,RelWithDebInfo,MinSizeRel)
    set(level 2)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        set(level 3)  # sizes known only at run time; GCC 12, the oldest that is supported, has it
    endif()
    # The strong one also guards functions whose variables have their address taken. In the modules whose
    # calls tests/bench counts that is 8 % of a call that succeeds at once, and more than the limits allow.
    set(protector -fstack-protector-strong)
    if(target MATCHES "^perdure_(core|net|http|sql|sqlite|dynamodb|cosmos_wire|cosmos)$")
        set(protector -fstack-protector)
    endif()
    # Distributions put a level of their own into CMAKE_CXX_FLAGS; defining it twice would be a warning.
    set(compile ${protector} -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level})
    if(harden_ASSERTIONS)
        list(APPEND compile -D_GLIBCXX_ASSERTIONS)
    endif()
    if(PERDURE_STACK_CLASH_PROTECTION)
        list(APPEND compile -fstack-clash-protection)
    endif()
    if(PERDURE_CF_PROTECTION)
        # Shadow stacks, which need no instruction of ours. The marks for indirect branches cost an HTTP
        # call 3 %, and Linux does not look at them in programs.
        list(APPEND compile -fcf-protection=return)
    endif()
    get_target_property(type ${target} TYPE)
    get_target_property(pic ${target} POSITION_INDEPENDENT_CODE)
    # Libraries that can be loaded have -fPIC already, as has everything where the user asks for it.
    if(type MATCHES "^(STATIC_LIBRARY|EXECUTABLE)$" AND NOT pic)
        list(APPEND compile -fPIE)
    endif()
    target_compile_options(${target} PRIVATE "$<$<${optimised}>:${compile}>")
    if(type STREQUAL STATIC_LIBRARY)
        return()
    endif()
    set(link -Wl,-z,relro,-z,now)
    if(type STREQUAL EXECUTABLE)
        list(APPEND link -pie)
    endif()
    target_link_options(${target} PRIVATE "$<$<${optimised}>:${link}>")
endfunction()
