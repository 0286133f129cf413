# SPDX-License-Identifier: Apache-2.0
#
# What the tool is made of; a part whose libraries are missing is left out, and its command with it.

# A folder is a library, so that its tests link what the tool links. The commands themselves, one file
# each, stand beside main.cpp.
function(perdure_tool_part name)
    cmake_parse_arguments(PARSE_ARGV 1 part "" "" "SOURCES;USES")
    file(GLOB sources CONFIGURE_DEPENDS ${name}/*.cpp)
    add_library(perdure_tool_${name} STATIC ${sources} ${part_SOURCES})
    target_include_directories(perdure_tool_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
    target_compile_definitions(perdure_tool_${name} PRIVATE PERDURE_VERSION="${perdure_VERSION}")
    target_link_libraries(perdure_tool_${name} PUBLIC ${part_USES})
    perdure_flags(perdure_tool_${name})
endfunction()

include(page/embed.cmake)
include(sim/scenarios/embed.cmake)
perdure_tool_part(text USES perdure::core)
perdure_tool_part(run USES perdure_tool_text)
perdure_tool_part(page SOURCES ${PERDURE_PAGE_ASSETS} USES perdure_tool_text)
perdure_tool_part(sim SOURCES ${PERDURE_SCENARIOS} USES perdure_tool_page perdure::sim)
target_include_directories(perdure_tool_sim SYSTEM PRIVATE ${PERDURE_TOMLPLUSPLUS})
perdure_tool_part(tune USES perdure_tool_page)
# What it can explain depends on the rooms that are furnished.
perdure_tool_part(explain USES perdure_tool_text
    $<TARGET_NAME_IF_EXISTS:perdure::http> $<TARGET_NAME_IF_EXISTS:perdure::sql>)
target_compile_definitions(perdure_tool_explain PRIVATE $<$<BOOL:${PERDURE_NETWORK}>:PERDURE_NETWORK>)
if(PERDURE_NETWORK)
    perdure_tool_part(chaos USES perdure_tool_run perdure_tool_sim perdure::chaos)
    perdure_tool_part(get USES perdure_tool_text perdure::http)
endif()
find_package(simdjson QUIET)
if(TARGET perdure::databases AND TARGET simdjson::simdjson)
    perdure_tool_part(load USES perdure_tool_page perdure_tool_run perdure::databases perdure::scrape)
    target_link_libraries(perdure_tool_load PRIVATE simdjson::simdjson ZLIB::ZLIB)
endif()
if(TARGET simdjson::simdjson AND TARGET ZLIB::ZLIB)
    perdure_tool_part(doctor USES perdure_tool_page perdure_tool_tune)
    target_link_libraries(perdure_tool_doctor PRIVATE simdjson::simdjson ZLIB::ZLIB)
else()
    message(STATUS "perdure doctor is left out: simdjson or zlib was not found (Debian: libsimdjson-dev)")
endif()
