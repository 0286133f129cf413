# SPDX-License-Identifier: Apache-2.0
#
# The libraries of others: how each is found here, and how a user of the installed package finds it
# again. All of them are private to our sources. A library is searched for only if a module that needs
# it is wanted.
#
#     perdure_library(zlib DEBIAN zlib1g-dev PACKAGE ZLIB TARGETS ZLIB::ZLIB PKGCONFIG zlib)
include_guard()

# PACKAGE: by find_package. HEADER and LINK: by looking for the files. Otherwise by pkg-config.
function(perdure_library name)
    cmake_parse_arguments(PARSE_ARGV 1 library "" "PACKAGE;PKGCONFIG;HEADER;LINK" "DEBIAN;TARGETS")
    if(NOT library_PACKAGE AND NOT library_HEADER)
        set(library_TARGETS PkgConfig::PERDURE_${name})
    endif()
    foreach(field IN ITEMS PACKAGE PKGCONFIG HEADER LINK DEBIAN TARGETS)
        set_property(GLOBAL PROPERTY PERDURE_LIBRARY_${name}_${field} "${library_${field}}")
    endforeach()
endfunction()

function(perdure_library_field name field out)
    get_property(value GLOBAL PROPERTY PERDURE_LIBRARY_${name}_${field})
    set(${out} "${value}" PARENT_SCOPE)
endfunction()

# Sets `out` to TRUE or FALSE. Its targets can be linked afterwards.
function(perdure_find_library name out)
    foreach(field IN ITEMS PACKAGE PKGCONFIG HEADER LINK)
        perdure_library_field(${name} ${field} ${field})
    endforeach()
    if(PACKAGE)
        find_package(${PACKAGE} QUIET)
        set(found ${${PACKAGE}_FOUND})
        if(PACKAGE STREQUAL OpenSSL)
            set(found ${OPENSSL_FOUND})
        endif()
    elseif(HEADER)
        find_path(PERDURE_${name}_HEADER ${HEADER})
        mark_as_advanced(PERDURE_${name}_HEADER)
        set(found ${PERDURE_${name}_HEADER})
        if(found AND LINK)
            find_library(PERDURE_${name}_LINK ${LINK})
            mark_as_advanced(PERDURE_${name}_LINK)
            set(found ${PERDURE_${name}_LINK})
        endif()
    else()
        find_package(PkgConfig QUIET)
        if(PkgConfig_FOUND)
            pkg_check_modules(PERDURE_${name} QUIET IMPORTED_TARGET ${PKGCONFIG})
        endif()
        set(found ${PERDURE_${name}_FOUND})
    endif()
    if(found)
        set(${out} TRUE PARENT_SCOPE)
    else()
        set(${out} FALSE PARENT_SCOPE)
    endif()
endfunction()

# Lets a target use a library privately: its targets, or its headers and the name to link.
function(perdure_use_library target name)
    foreach(field IN ITEMS TARGETS HEADER LINK)
        perdure_library_field(${name} ${field} ${field})
    endforeach()
    target_link_libraries(${target} PRIVATE ${TARGETS} ${LINK})
    # Headers that a compiler finds by itself need no flag, which would change its order of search.
    if(HEADER AND NOT PERDURE_${name}_HEADER IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
        target_include_directories(${target} SYSTEM PRIVATE ${PERDURE_${name}_HEADER})
    endif()
endfunction()

perdure_library(asio DEBIAN libasio-dev HEADER asio.hpp)
perdure_library(openssl DEBIAN libssl-dev PACKAGE OpenSSL TARGETS OpenSSL::SSL OpenSSL::Crypto PKGCONFIG openssl)
perdure_library(libcrypto DEBIAN libssl-dev PACKAGE OpenSSL TARGETS OpenSSL::Crypto PKGCONFIG libcrypto)
perdure_library(c-ares DEBIAN libc-ares-dev HEADER ares.h LINK cares PKGCONFIG libcares)
perdure_library(zlib DEBIAN zlib1g-dev PACKAGE ZLIB TARGETS ZLIB::ZLIB PKGCONFIG zlib)
perdure_library(simdjson DEBIAN libsimdjson-dev PACKAGE simdjson TARGETS simdjson::simdjson PKGCONFIG simdjson)
perdure_library(sqlite3 DEBIAN pkgconf libsqlite3-dev PKGCONFIG sqlite3)
perdure_library(libpq DEBIAN pkgconf libpq-dev PKGCONFIG libpq)
perdure_library(libmariadb DEBIAN pkgconf libmariadb-dev PKGCONFIG libmariadb)
perdure_library(odbc DEBIAN pkgconf unixodbc-dev PKGCONFIG odbc)
# Only the command-line tool uses these.
perdure_library(cli11 DEBIAN libcli11-dev PACKAGE CLI11 TARGETS CLI11::CLI11)
perdure_library(tomlplusplus DEBIAN libtomlplusplus-dev HEADER toml++/toml.h)
