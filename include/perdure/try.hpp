// SPDX-License-Identifier: Apache-2.0
//
// How do five fallible steps in a row stay readable? The one macro of this house.
//
//     PERDURE_TRY(tx.execute("insert …"));              // returns the failure, if there is one
//     PERDURE_TRY_VALUE(const auto row, tx.query("…"));  // the same, and names the value
//
// Reasons and limits: docs/decisions/2026-11-16-one-macro.md.
#pragma once

#include "perdure/result.hpp"

#define PERDURE_TRY(expression)                                                                    \
    do {                                                                                           \
        if (auto perdure_tried = (expression); !perdure_tried)                                     \
            return perdure_tried.take_failure();                                                   \
    } while (false)

#define PERDURE_JOIN_(a, b) a##b
#define PERDURE_JOIN(a, b) PERDURE_JOIN_(a, b)
#define PERDURE_TRY_VALUE(declaration, expression)                                                 \
    auto PERDURE_JOIN(perdure_tried_, __LINE__) = (expression);                                    \
    if (!PERDURE_JOIN(perdure_tried_, __LINE__))                                                   \
        return PERDURE_JOIN(perdure_tried_, __LINE__).take_failure();                              \
    declaration = *std::move(PERDURE_JOIN(perdure_tried_, __LINE__))
