# SPDX-License-Identifier: Apache-2.0
#
# What has to be asked before project() changes the answer. No include_guard: it must see a second
# add_subdirectory.

if(TARGET perdure::core)
    message(FATAL_ERROR "Perdure is in this build already: there is a target perdure::core. Take it in once, "
        "by `if(NOT TARGET perdure::core)` where two parts of a project bring it along.")
endif()
if(NOT DEFINED CMAKE_CXX_FLAGS_RELEASE)
    set(PERDURE_FLAGS_OF_CMAKE ON CACHE INTERNAL "CMAKE_CXX_FLAGS_RELEASE was not set by the user")
endif()
