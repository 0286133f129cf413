// SPDX-License-Identifier: Apache-2.0
//
// What is a conversation for? A user's call, or one of the clerk's errands, which need not wait for the
// clerk.
#pragma once

#include <cstdint>

namespace perdure {
inline namespace v0 {
namespace cosmos {

struct Region;

// account: at the account's own address first, then wherever it may be. container: in any region that
// reads. probe: in one region, once.
enum class Purpose : std::uint8_t { call, account, container, probe };

struct Errand {
    Purpose purpose = Purpose::call;
    const Region* only = nullptr;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
