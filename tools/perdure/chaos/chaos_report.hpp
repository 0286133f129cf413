// SPDX-License-Identifier: Apache-2.0
//
// What does perdure chaos say? Where it listens, and at the end what it has done.
//
//     print(Opening{plan, "127.0.0.1:9000"}.text(proxy));
//     print(counters_text(proxy.counters()));
#pragma once

#include <string>

#include "perdure/chaos/proxy.hpp"

namespace tool {

using namespace perdure;

// The first line; made from the plan before the proxy takes it.
class Opening {
public:
    Opening(const chaos::Plan& plan, std::string to);
    [[nodiscard]] std::string text(const chaos::Proxy& proxy) const;
    [[nodiscard]] std::string json(const chaos::Proxy& proxy) const;

private:
    std::string to_;
    std::string protocol_;
    std::size_t rules_;
    std::uint64_t seed_;
};

std::string counters_line(const chaos::Counters& counters);  // while it runs
std::string counters_text(const chaos::Counters& counters);  // at its end

}  // namespace tool
