# SPDX-License-Identifier: Apache-2.0
#
# Which modules of the library and which commands of the tool are built? Each is declared with what it
# needs, and has an option PERDURE_WITH_<NAME>:
#
#     perdure_module(http FOLDERS http USES net LIBRARIES zlib)       the library perdure::http
#     perdure_command(load USES databases LIBRARIES cli11 simdjson)   the command `perdure load`
#     perdure_decide()                                                makes the libraries
#
# AUTO builds it if everything it needs is found, ON makes that an error if it is not, OFF leaves it
# out. A command shares the option of a module of the same name.
include_guard()

set(PERDURE_WITH_AUTO FOUND CACHE STRING
    "What AUTO means in PERDURE_WITH_*: FOUND, built if its libraries are found, or NEEDED, built only \
if something that is ON needs it")
set_property(CACHE PERDURE_WITH_AUTO PROPERTY STRINGS FOUND NEEDED)

# Declares a part. USES and OPTIONAL are modules (OPTIONAL: used where they are built), LIBRARIES are
# those of cmake/libraries.cmake.
function(perdure_part kind name)
    cmake_parse_arguments(PARSE_ARGV 2 part "" "" "FOLDERS;USES;OPTIONAL;LIBRARIES")
    set(key ${kind}_${name})
    set_property(GLOBAL APPEND PROPERTY PERDURE_PARTS ${key})
    foreach(field IN ITEMS FOLDERS USES OPTIONAL LIBRARIES)
        set_property(GLOBAL PROPERTY PERDURE_${key}_${field} "${part_${field}}")
    endforeach()
    string(TOUPPER PERDURE_WITH_${name} option)
    set(${option} AUTO CACHE STRING "Build the ${kind} ${name}: AUTO, ON (an error if it cannot be built) or OFF")
    set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
endfunction()

macro(perdure_module name)
    perdure_part(module ${name} ${ARGN})
endmacro()

macro(perdure_command name)
    perdure_part(command ${name} ${ARGN})
endmacro()

function(perdure_part_field key field out)
    get_property(value GLOBAL PROPERTY PERDURE_${key}_${field})
    set(${out} "${value}" PARENT_SCOPE)
endfunction()

# AUTO, ON or OFF, whatever way CMake's users write the last two.
function(perdure_wish key out)
    string(REGEX REPLACE "^(module|command)_" "" name ${key})
    string(TOUPPER PERDURE_WITH_${name} option)
    set(wish ${${option}})
    if(key STREQUAL module_core)
        set(wish ON)
    elseif(NOT wish STREQUAL AUTO)
        if(NOT wish MATCHES "^([Oo][Nn]|[Oo][Ff][Ff]|TRUE|FALSE|YES|NO|1|0)$")
            message(FATAL_ERROR "${option} is \"${wish}\"; it takes AUTO, ON or OFF")
        endif()
        if(wish)
            set(wish ON)
        else()
            set(wish OFF)
        endif()
    endif()
    set(${out} ${wish} PARENT_SCOPE)
endfunction()

# Every part that is ON, and the modules these need, in `out`.
function(perdure_needed_parts out)
    get_property(parts GLOBAL PROPERTY PERDURE_PARTS)
    # Parts are declared after what they use, so one pass from the end reaches everything.
    list(REVERSE parts)
    set(needed)
    foreach(key IN LISTS parts)
        perdure_wish(${key} wish)
        if(wish STREQUAL ON OR key IN_LIST needed)
            perdure_part_field(${key} USES uses)
            list(TRANSFORM uses PREPEND module_)
            list(APPEND needed ${key} ${uses})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES needed)
    set(${out} "${needed}" PARENT_SCOPE)
endfunction()

# Why a part cannot be built, or an empty text.
function(perdure_obstacle key out)
    set(why)
    perdure_part_field(${key} USES uses)
    foreach(module IN LISTS uses)
        if(NOT TARGET perdure_${module})
            list(APPEND why "it needs the module ${module}")
        endif()
    endforeach()
    if(NOT why)
        perdure_part_field(${key} LIBRARIES libraries)
        foreach(library IN LISTS libraries)
            perdure_find_library(${library} found)
            if(NOT found)
                perdure_library_field(${library} DEBIAN debian)
                list(JOIN debian " " debian)
                list(APPEND why "${library} was not found (Debian: ${debian})")
            endif()
        endforeach()
    endif()
    list(JOIN why ", " why)
    set(${out} "${why}" PARENT_SCOPE)
endfunction()

# Goes through all declared parts in order. Makes the libraries of modules that can be built, and names
# commands in the global property PERDURE_COMMANDS. What is left out is named with the reason.
function(perdure_decide)
    get_property(parts GLOBAL PROPERTY PERDURE_PARTS)
    perdure_needed_parts(needed)
    foreach(key IN LISTS parts)
        string(REGEX MATCH "^(module|command)" kind ${key})
        string(REGEX REPLACE "^(module|command)_" "" name ${key})
        string(TOUPPER PERDURE_WITH_${name} option)
        perdure_wish(${key} wish)
        set(why)
        if(wish STREQUAL OFF)
            set(why "${option}=OFF")
        elseif(wish STREQUAL AUTO AND PERDURE_WITH_AUTO STREQUAL NEEDED AND NOT key IN_LIST needed)
            set_property(GLOBAL APPEND PROPERTY PERDURE_NOT_NEEDED ${name})
            continue()
        else()
            perdure_obstacle(${key} why)
        endif()
        if(NOT why AND kind STREQUAL module)
            perdure_make_module(${name})
        elseif(NOT why)
            set_property(GLOBAL APPEND PROPERTY PERDURE_COMMANDS ${name})
        elseif(key IN_LIST needed)
            message(FATAL_ERROR "The ${kind} ${name} is needed, because it or something that uses it is "
                "ON, but cannot be built: ${why}")
        else()
            set_property(GLOBAL APPEND PROPERTY PERDURE_LEFT_OUT "${kind} ${name}: ${why}")
        endif()
    endforeach()
endfunction()

# One or more folders: their headers under include/perdure, their sources under src. A file in a folder
# is part of its module (docs/decisions/2026-11-16-folders-are-the-list.md).
function(perdure_make_module name)
    foreach(field IN ITEMS FOLDERS USES OPTIONAL LIBRARIES)
        perdure_part_field(module_${name} ${field} ${field})
    endforeach()
    set(sources)
    set(headers)
    foreach(folder IN LISTS FOLDERS)
        file(GLOB found CONFIGURE_DEPENDS ${perdure_SOURCE_DIR}/src/${folder}/*.cpp)
        list(APPEND sources ${found})
        file(GLOB found CONFIGURE_DEPENDS ${perdure_SOURCE_DIR}/include/perdure/${folder}/*.hpp)
        list(APPEND headers ${found})
    endforeach()

    set(target perdure_${name})
    add_library(${target} ${sources})
    add_library(perdure::${name} ALIAS ${target})
    target_sources(${target} PUBLIC
        FILE_SET HEADERS BASE_DIRS ${perdure_SOURCE_DIR}/include FILES ${headers})
    target_include_directories(${target} PRIVATE ${perdure_SOURCE_DIR}/src)
    set_target_properties(${target} PROPERTIES
        EXPORT_NAME ${name}
        LINKER_LANGUAGE CXX
        VERSION ${perdure_VERSION}
        SOVERSION ${perdure_VERSION_MAJOR}.${perdure_VERSION_MINOR})
    perdure_flags(${target})
    perdure_bundle(${target})

    set(used ${USES})
    foreach(module IN LISTS OPTIONAL)
        if(TARGET perdure_${module})
            list(APPEND used ${module})
            string(TOUPPER PERDURE_HAS_${module} has)
            target_compile_definitions(${target} PRIVATE ${has})
        endif()
    endforeach()
    list(TRANSFORM used PREPEND perdure:: OUTPUT_VARIABLE used_targets)
    target_link_libraries(${target} PUBLIC ${used_targets})
    if(name STREQUAL core)
        target_link_libraries(${target} PUBLIC Threads::Threads)
    endif()
    foreach(library IN LISTS LIBRARIES)
        perdure_use_library(${target} ${library})
    endforeach()
    perdure_package_module(${name} USES ${used} LIBRARIES ${LIBRARIES})
    set_property(GLOBAL APPEND PROPERTY PERDURE_MODULES ${name})
endfunction()

# What is in, and what is missing for the rest.
function(perdure_say_what_is_built)
    get_property(modules GLOBAL PROPERTY PERDURE_MODULES)
    get_property(commands GLOBAL PROPERTY PERDURE_COMMANDS)
    get_property(left_out GLOBAL PROPERTY PERDURE_LEFT_OUT)
    list(JOIN modules " " modules)
    list(JOIN commands " " commands)
    set(sanitizers)
    if(PERDURE_SANITIZE)
        set(sanitizers ", sanitizers: ${PERDURE_SANITIZE}")
    endif()
    message(STATUS "Perdure ${perdure_VERSION}, ${CMAKE_BUILD_TYPE}, "
        "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}${sanitizers}")
    message(STATUS "  modules: ${modules}")
    if(PERDURE_BUILD_TOOLS)
        message(STATUS "  commands of the tool: ${commands}")
    endif()
    foreach(line IN LISTS left_out)
        message(STATUS "  left out: ${line}")
    endforeach()
    get_property(not_needed GLOBAL PROPERTY PERDURE_NOT_NEEDED)
    if(not_needed)
        list(REMOVE_DUPLICATES not_needed)
        list(JOIN not_needed " " not_needed)
        message(STATUS "  left out, because nothing that is ON needs them: ${not_needed}")
    endif()
endfunction()
