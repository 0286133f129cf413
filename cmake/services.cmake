# SPDX-License-Identifier: Apache-2.0
#
# Which cloud databases can be spoken to here? Their answers are JSON, read by simdjson.
include_guard()

find_package(simdjson QUIET)
if(NOT TARGET simdjson::simdjson)
    message(STATUS
        "the rooms dynamodb and cosmos are left out: simdjson was not found (Debian: libsimdjson-dev)")
    return()
endif()

perdure_room(dynamodb
    FOLDERS dynamodb
    USES perdure::http
    NEEDS OpenSSL::Crypto simdjson::simdjson ZLIB::ZLIB
    PKGCONFIG libcrypto simdjson zlib)

# What goes over Cosmos DB's wire, without a socket; the client; and an account that is not there.
perdure_room(cosmos_wire
    FOLDERS cosmos/wire
    USES perdure::http
    NEEDS OpenSSL::Crypto simdjson::simdjson
    PKGCONFIG libcrypto simdjson)
if(TARGET perdure_cosmos_wire)
    perdure_room(cosmos FOLDERS cosmos USES perdure::cosmos_wire)
    perdure_room(cosmos_gateway
        FOLDERS chaos/cosmos
        USES perdure::chaos perdure::cosmos_wire
        NEEDS OpenSSL::Crypto simdjson::simdjson
        PKGCONFIG libcrypto simdjson)
endif()
