# SPDX-License-Identifier: Apache-2.0
#
# Which cloud databases can be spoken to here? Their answers are JSON, read by simdjson.
include_guard()

find_package(simdjson QUIET)
if(NOT TARGET simdjson::simdjson)
    message(STATUS
        "the room dynamodb is left out: simdjson was not found (Debian: libsimdjson-dev)")
    return()
endif()

perdure_room(dynamodb
    FOLDERS dynamodb
    USES perdure::http
    NEEDS OpenSSL::Crypto simdjson::simdjson ZLIB::ZLIB
    PKGCONFIG libcrypto simdjson zlib)
