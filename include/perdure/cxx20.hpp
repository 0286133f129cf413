// SPDX-License-Identifier: Apache-2.0
//
// Which language version does Perdure need? C++20, said in one sentence. The headers that programs include
// first include this one before all others: g++ 12 compiles C++17 unless told otherwise.
//
//     #include "perdure/cxx20.hpp"
//
// The include below names no file: a missing header ends the compilation, where an error directive
// alone lets a thousand lines follow.
#pragma once

#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error "Perdure needs C++20: compile with -std=c++20 (in CMake: cxx_std_20)"
#include "perdure/needs_cxx20"
#endif
