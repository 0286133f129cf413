// SPDX-License-Identifier: Apache-2.0
//
// What does a verdict about a write's state mean for its answer? Nobody knows any more what the service
// said, only that it is done.
#pragma once

#include "perdure/dynamodb/written.hpp"
#include "perdure/landed.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

inline Landed<Written> settled(Verdict verdict) {
    switch (verdict) {
        case Verdict::yes: {
            Written written;
            written.found_out = true;
            return Landed<Written>::yes(std::move(written));
        }
        case Verdict::no: return Landed<Written>::no();
        case Verdict::pending: return Landed<Written>::pending();
        case Verdict::unknown: break;
    }
    return Landed<Written>::unknown();
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
