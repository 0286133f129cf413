# SPDX-License-Identifier: Apache-2.0
#
# What some tests need beside the rooms they are about.

# Packed bodies are made with zlib itself; http-parser, where it is there, reads what our own reads.
if(TARGET perdure_http_test)
    target_link_libraries(perdure_http_test PRIVATE ZLIB::ZLIB)
    find_library(PERDURE_HTTP_PARSER http_parser)
    if(PERDURE_HTTP_PARSER)
        target_link_libraries(perdure_http_test PRIVATE ${PERDURE_HTTP_PARSER})
        target_compile_definitions(perdure_http_test PRIVATE PERDURE_HTTP_PARSER)
    endif()
endif()

# The vectors lie beside the project; they are JSON.
if(TARGET perdure_dynamodb_test)
    target_link_libraries(perdure_dynamodb_test PRIVATE simdjson::simdjson)
    target_compile_definitions(perdure_dynamodb_test PRIVATE PERDURE_SOURCE_DIR="${perdure_SOURCE_DIR}")
endif()

# Parts of a room whose tests stand by themselves.
foreach(part IN ITEMS cosmos/wire chaos/cosmos)
    if(part IN_LIST furnished)
        string(REPLACE "chaos/cosmos" "cosmos_gateway" room ${part})
        string(REPLACE "/" "_" room ${room})
        perdure_test(${part} USES perdure::${room})
    endif()
endforeach()
foreach(part IN ITEMS cosmos cosmos_wire chaos_cosmos)
    if(TARGET perdure_${part}_test)
        target_link_libraries(perdure_${part}_test PRIVATE simdjson::simdjson OpenSSL::Crypto)
    endif()
endforeach()
