# SPDX-License-Identifier: Apache-2.0
#
# Writes the scenarios that the tool ships into a source file and names that file in
# PERDURE_SCENARIOS. Done when the build is configured, which a change of one of them repeats.
file(GLOB scenario_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.toml)
set(scenario_arrays)
set(scenario_list)
set(scenario_number 0)
foreach(file IN LISTS scenario_files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    cmake_path(GET file STEM name)
    file(READ ${file} bytes HEX)
    # Short lines: editors and compilers are slow on one line of many thousand bytes.
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
    string(APPEND scenario_arrays "constexpr char file_${scenario_number}[] = {${bytes}};\n")
    string(APPEND scenario_list "{\"${name}\", {file_${scenario_number}, sizeof file_${scenario_number}}}, ")
    math(EXPR scenario_number "${scenario_number} + 1")
endforeach()

set(PERDURE_SCENARIOS ${CMAKE_CURRENT_BINARY_DIR}/scenarios.cpp)
file(CONFIGURE OUTPUT ${PERDURE_SCENARIOS} @ONLY CONTENT [[
// Written by sim/scenarios/embed.cmake.
#include <array>
#include "sim/sim_scenarios.hpp"
namespace tool {
namespace {
@scenario_arrays@
constexpr std::array<ShippedScenario, @scenario_number@> list{{@scenario_list@}};
}
std::span<const ShippedScenario> shipped_scenarios() { return list; }
}
]])
set_source_files_properties(${PERDURE_SCENARIOS} PROPERTIES GENERATED ON)
