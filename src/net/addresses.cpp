// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/addresses.hpp"

#include <algorithm>

namespace perdure {
inline namespace v0 {
namespace net {

Addresses interleaved(const Addresses& addresses) {
    Addresses ordered;
    ordered.reserve(addresses.size());
    if (addresses.empty()) return ordered;

    const auto begin = addresses.begin();
    const auto end = addresses.end();
    const Family leader = begin->family();
    const auto leads = [&](const Address& each) { return each.family() == leader; };
    auto ours = begin;
    auto theirs = std::find_if_not(begin, end, leads);
    while (ours != end || theirs != end) {
        if (ours != end) {
            ordered.push_back(*ours);
            ours = std::find_if(ours + 1, end, leads);
        }
        if (theirs != end) {
            ordered.push_back(*theirs);
            theirs = std::find_if_not(theirs + 1, end, leads);
        }
    }
    return ordered;
}

}  // namespace net
}  // namespace v0
}  // namespace perdure
