# SPDX-License-Identifier: Apache-2.0
#
# How is an installed Perdure found? By find_package(perdure COMPONENTS http), which gives
# perdure::http, or by pkg-config perdure-http. A module is a component, with files of its own, and
# brings only what it needs itself. Both ways follow the tree when it is moved.
include_guard()
include(CMakePackageConfigHelpers)

set(PERDURE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/perdure)

# Lets an installed target find our shared libraries by its own place, so that the tree can be moved. A
# distribution that sets CMAKE_INSTALL_RPATH or CMAKE_SKIP_INSTALL_RPATH overrides this.
function(perdure_package_rpath target destination)
    if(DEFINED CMAKE_INSTALL_RPATH OR NOT BUILD_SHARED_LIBS)
        return()
    endif()
    set(origin $ORIGIN)
    if(APPLE)
        set(origin @loader_path)
    endif()
    set(libraries ${CMAKE_INSTALL_FULL_LIBDIR})
    if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} AND NOT IS_ABSOLUTE ${destination})
        file(RELATIVE_PATH way /${destination} /${CMAKE_INSTALL_LIBDIR})
        set(libraries ${origin}/${way})
        string(REGEX REPLACE "/$" "" libraries ${libraries})
    endif()
    set_target_properties(${target} PROPERTIES INSTALL_RPATH ${libraries})
endfunction()

# Called for every module that is built.
function(perdure_package_module name)
    cmake_parse_arguments(PARSE_ARGV 1 module "" "" "USES;LIBRARIES")
    if(NOT PERDURE_INSTALL)
        return()
    endif()
    perdure_package_rpath(perdure_${name} ${CMAKE_INSTALL_LIBDIR})
    install(TARGETS perdure_${name} EXPORT perdure-${name}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(EXPORT perdure-${name} NAMESPACE perdure:: FILE perdure-${name}.cmake
        DESTINATION ${PERDURE_PACKAGE_DIR})
    perdure_package_component(${name})
    perdure_package_pkgconfig(${name})
endfunction()

# A line of perdureConfig.cmake: _perdure_component(http USES net LIBRARIES zlib). Libraries are looked
# for only where ours are static; a shared one knows by itself what it needs.
function(perdure_package_component name)
    set(line "_perdure_component(${name} USES ${module_USES}")
    if(NOT BUILD_SHARED_LIBS)
        string(APPEND line " LIBRARIES")
        foreach(library IN LISTS module_LIBRARIES)
            perdure_library_field(${library} TARGETS targets)
            # A header-only library has nothing to link.
            if(targets)
                string(APPEND line " ${library}")
                set_property(GLOBAL APPEND PROPERTY PERDURE_PACKAGE_LIBRARIES ${library})
            endif()
        endforeach()
    endif()
    string(REPLACE ";" " " line "${line})")
    set_property(GLOBAL APPEND PROPERTY PERDURE_PACKAGE_COMPONENTS "${line}")
endfunction()

# A static library needs the libraries of others at the user's link, with --static or without.
function(perdure_package_pkgconfig name)
    list(TRANSFORM module_USES PREPEND perdure- OUTPUT_VARIABLE requires)
    set(requires_private)
    foreach(library IN LISTS module_LIBRARIES)
        perdure_library_field(${library} PKGCONFIG pkgconfig)
        list(APPEND requires_private ${pkgconfig})
    endforeach()
    if(NOT BUILD_SHARED_LIBS)
        list(APPEND requires ${requires_private})
        set(requires_private)
    endif()
    list(JOIN requires " " requires)
    list(JOIN requires_private " " requires_private)
    # A distribution may give absolute places, which then do not follow the prefix.
    foreach(place IN ITEMS libdir includedir)
        string(TOUPPER CMAKE_INSTALL_${place} wanted)
        set(${place} ${${wanted}})
        if(NOT IS_ABSOLUTE "${${place}}")
            set(${place} "\${prefix}/${${place}}")
        endif()
    endforeach()
    set(prefix ${CMAKE_INSTALL_PREFIX})
    if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
        file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
        string(REGEX REPLACE "/$" "" up ${up})
        set(prefix "\${pcfiledir}/${up}")
    endif()
    configure_file(${perdure_SOURCE_DIR}/cmake/module.pc.in
        ${perdure_BINARY_DIR}/perdure-${name}.pc @ONLY)
    install(FILES ${perdure_BINARY_DIR}/perdure-${name}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# The lines by which perdureConfig.cmake finds a library again.
function(perdure_package_libraries out)
    get_property(names GLOBAL PROPERTY PERDURE_PACKAGE_LIBRARIES)
    list(REMOVE_DUPLICATES names)
    set(lines)
    foreach(name IN LISTS names)
        foreach(field IN ITEMS PACKAGE PKGCONFIG LINK DEBIAN)
            perdure_library_field(${name} ${field} ${field})
        endforeach()
        list(JOIN DEBIAN " " DEBIAN)
        if(PACKAGE)
            set(way "PACKAGE ${PACKAGE}")
        elseif(LINK)
            set(way "LINK ${LINK}")
        else()
            set(way "PKGCONFIG ${PKGCONFIG}")
        endif()
        string(APPEND lines "_perdure_library(${name} ${way} \"${DEBIAN}\")\n")
    endforeach()
    set(${out} "${lines}" PARENT_SCOPE)
endfunction()

function(perdure_package)
    if(NOT PERDURE_INSTALL)
        return()
    endif()
    get_property(components GLOBAL PROPERTY PERDURE_PACKAGE_COMPONENTS)
    list(JOIN components "\n" components)
    perdure_package_libraries(libraries)
    configure_package_config_file(${perdure_SOURCE_DIR}/cmake/perdureConfig.cmake.in
        ${perdure_BINARY_DIR}/perdureConfig.cmake
        INSTALL_DESTINATION ${PERDURE_PACKAGE_DIR}
        NO_SET_AND_CHECK_MACRO)
    # Before 1.0 a minor version may break its users.
    write_basic_package_version_file(${perdure_BINARY_DIR}/perdureConfigVersion.cmake
        COMPATIBILITY SameMinorVersion)
    install(FILES
        ${perdure_BINARY_DIR}/perdureConfig.cmake ${perdure_BINARY_DIR}/perdureConfigVersion.cmake
        DESTINATION ${PERDURE_PACKAGE_DIR})
    install(FILES ${perdure_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
    # Help texts name these pages and this folder.
    install(DIRECTORY ${perdure_SOURCE_DIR}/docs/guide ${perdure_SOURCE_DIR}/docs/reference
        ${perdure_SOURCE_DIR}/docs/concepts
        DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.md)
endfunction()
