# SPDX-License-Identifier: Apache-2.0
#
# Which databases can be driven here? Each client library is optional and makes one room; without all
# of them the common part of the sql room still stands.
include_guard()

find_package(PkgConfig QUIET)

# perdure_driver(postgres LIBRARY libpq PACKAGE libpq-dev): the room perdure::postgres, if it is there.
function(perdure_driver name)
    cmake_parse_arguments(PARSE_ARGV 1 driver "" "LIBRARY;PACKAGE" "")
    if(PkgConfig_FOUND)
        pkg_check_modules(PERDURE_${name} QUIET IMPORTED_TARGET ${driver_LIBRARY})
    endif()
    if(NOT PERDURE_${name}_FOUND)
        message(STATUS "the room ${name} is left out: "
            "${driver_LIBRARY} was not found (Debian: pkgconf and ${driver_PACKAGE})")
        return()
    endif()
    perdure_room(${name}
        FOLDERS sql/${name}
        USES perdure::sql
        NEEDS PkgConfig::PERDURE_${name}
        PKGCONFIG ${driver_LIBRARY})
    if(TARGET perdure_${name})
        set_property(GLOBAL APPEND PROPERTY PERDURE_DRIVERS ${name})
    endif()
endfunction()

perdure_room(sql FOLDERS sql USES perdure::net)
perdure_driver(sqlite LIBRARY sqlite3 PACKAGE libsqlite3-dev)
perdure_driver(postgres LIBRARY libpq PACKAGE libpq-dev)
perdure_driver(mariadb LIBRARY libmariadb PACKAGE libmariadb-dev)
perdure_driver(odbc LIBRARY odbc PACKAGE unixodbc-dev)

# All that are there behind one function that takes a URL.
get_property(drivers GLOBAL PROPERTY PERDURE_DRIVERS)
list(TRANSFORM drivers PREPEND perdure:: OUTPUT_VARIABLE rooms)
perdure_room(databases FOLDERS sql/databases USES perdure::sql ${rooms})
if(TARGET perdure_databases)
    foreach(driver IN LISTS drivers)
        string(TOUPPER ${driver} upper)
        target_compile_definitions(perdure_databases PRIVATE PERDURE_HAS_${upper})
    endforeach()
endif()
