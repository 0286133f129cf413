# SPDX-License-Identifier: Apache-2.0
#
# How do others find an installed Perdure? By find_package(perdure COMPONENTS core), which gives
# perdure::core, or by pkg-config perdure-core. Both follow the tree when it is moved.
include_guard()
include(CMakePackageConfigHelpers)

set(PERDURE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/perdure)

# Called by perdure_room for every room.
function(perdure_package_room name)
    cmake_parse_arguments(PARSE_ARGV 1 room "" "" "USES;PKGCONFIG")
    if(NOT PERDURE_INSTALL)
        return()
    endif()
    install(TARGETS perdure_${name} EXPORT perdure
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

    set(room_needs ${room_USES})
    list(FILTER room_needs INCLUDE REGEX "^perdure::")
    list(TRANSFORM room_needs REPLACE "^perdure::" "perdure-")
    list(JOIN room_needs " " room_needs)
    list(JOIN room_PKGCONFIG " " room_privately)
    # A distribution may place the libraries by an absolute path; then the prefix is the one given.
    set(prefix ${CMAKE_INSTALL_PREFIX})
    if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
        file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
        string(REGEX REPLACE "/$" "" up ${up})
        set(prefix "\${pcfiledir}/${up}")
    endif()
    configure_file(${perdure_SOURCE_DIR}/cmake/room.pc.in
        ${perdure_BINARY_DIR}/perdure-${name}.pc @ONLY)
    install(FILES ${perdure_BINARY_DIR}/perdure-${name}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

function(perdure_package)
    if(NOT PERDURE_INSTALL)
        return()
    endif()
    get_property(rooms GLOBAL PROPERTY PERDURE_ROOMS)
    install(EXPORT perdure NAMESPACE perdure:: FILE perdureTargets.cmake
        DESTINATION ${PERDURE_PACKAGE_DIR})
    configure_package_config_file(${perdure_SOURCE_DIR}/cmake/perdureConfig.cmake.in
        ${perdure_BINARY_DIR}/perdureConfig.cmake INSTALL_DESTINATION ${PERDURE_PACKAGE_DIR})
    # Before 1.0 a minor version may change the interface.
    write_basic_package_version_file(${perdure_BINARY_DIR}/perdureConfigVersion.cmake
        COMPATIBILITY SameMinorVersion)
    install(FILES
        ${perdure_BINARY_DIR}/perdureConfig.cmake ${perdure_BINARY_DIR}/perdureConfigVersion.cmake
        DESTINATION ${PERDURE_PACKAGE_DIR})
    install(FILES ${perdure_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
endfunction()
