# SPDX-License-Identifier: Apache-2.0
#
# Parts of the tool tested as values, and programs that the scripts need.

perdure_program(perdure_page_samples SOURCES page_samples_main.cpp page_samples.cpp
    USES perdure_tool_page)
perdure_tool_test(perdure_page_test COMMAND page SOURCES page_test.cpp page_samples.cpp
    USES perdure_tool_page)
perdure_tool_test(perdure_tool_text_test COMMAND text SOURCES text_visible_test.cpp
    USES perdure_tool_text)
perdure_tool_test(perdure_scenario_file_test COMMAND sim SOURCES sim_scenario_file_test.cpp
    USES perdure_tool_sim)
perdure_tool_test(perdure_get_timeline_test COMMAND get SOURCES get_timeline_test.cpp
    USES perdure_tool_get)
perdure_tool_test(perdure_chaos_plan_file_test COMMAND chaos SOURCES chaos_plan_file_test.cpp
    USES perdure_tool_chaos)
target_compile_definitions(perdure_chaos_plan_file_test PRIVATE
    PERDURE_PLANS="${perdure_SOURCE_DIR}/tools/perdure/chaos/plans")
perdure_tool_test(perdure_doctor_test COMMAND doctor
    SOURCES doctor_chance_test.cpp doctor_causes_test.cpp doctor_line_test.cpp
    USES perdure_tool_doctor)
# Journals of fleets in which something goes wrong, for `perdure doctor`.
perdure_program(perdure_doctor_stage
    SOURCES doctor_stage_main.cpp doctor_stage_script.cpp doctor_stage_stories.cpp
        doctor_stage_world.cpp doctor_stage_transport.cpp doctor_stage_lines.cpp
    USES perdure::telemetry)

file(GLOB load_tests CONFIGURE_DEPENDS load_*_test.cpp)
if(TARGET perdure::dynamodb AND TARGET perdure::cosmos_gateway)
    perdure_tool_test(perdure_load_test COMMAND load SOURCES ${load_tests} load_target_contract.cpp
        USES perdure_tool_load perdure::cosmos_gateway)
    target_include_directories(perdure_load_test PRIVATE ${perdure_SOURCE_DIR}/tests)
    perdure_find_library(zstd has_zstd)
    if(has_zstd)
        perdure_use_library(perdure_load_test zstd)
    endif()
endif()
