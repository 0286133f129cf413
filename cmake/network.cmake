# SPDX-License-Identifier: Apache-2.0
#
# Is there what the rooms with sockets are made of? Asio without Boost, OpenSSL, c-ares and zlib, all
# of them private to sources. Without one of them the rooms are left out, and the core stands alone.
include_guard()

find_package(OpenSSL QUIET)
find_package(ZLIB QUIET)
find_path(PERDURE_ASIO asio.hpp)
find_path(PERDURE_CARES_HEADER ares.h)
find_library(PERDURE_CARES cares)

set(PERDURE_NETWORK ON)
foreach(found IN ITEMS OPENSSL_FOUND/OpenSSL/libssl-dev ZLIB_FOUND/zlib/zlib1g-dev
        PERDURE_ASIO/Asio/libasio-dev PERDURE_CARES_HEADER/c-ares/libc-ares-dev
        PERDURE_CARES/c-ares/libc-ares-dev)
    string(REPLACE "/" ";" found ${found})
    list(POP_FRONT found variable name package)
    if(NOT ${variable})
        message(STATUS
            "the rooms net, http and chaos are left out: ${name} was not found (Debian: ${package})")
        set(PERDURE_NETWORK OFF)
    endif()
endforeach()
