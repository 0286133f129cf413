# SPDX-License-Identifier: Apache-2.0
#
# What has to be asked before project() changes the answer.

if(NOT DEFINED CMAKE_CXX_FLAGS_RELEASE)
    set(PERDURE_FLAGS_OF_CMAKE ON CACHE INTERNAL "CMAKE_CXX_FLAGS_RELEASE was not set by the user")
endif()
