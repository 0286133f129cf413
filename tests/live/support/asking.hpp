// SPDX-License-Identifier: Apache-2.0
//
// The two ways of asking: on the caller's thread and by coroutine. Both must say the same.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>

#include "perdure/call/block_on.hpp"
#include "perdure/http/client.hpp"
#include "perdure/net/reactor.hpp"

namespace perdure::live {

enum class Way : std::uint8_t { blocking, coroutine };

inline std::string name_of(Way way) { return way == Way::blocking ? "blocking" : "coroutine"; }
inline std::string way_name(const ::testing::TestParamInfo<Way>& way) { return name_of(way.param); }

inline std::ostream& operator<<(std::ostream& out, Way way) { return out << name_of(way); }

inline Result<http::Response> ask(http::Client& client, const http::Request& request, Way way,
                                  const http::SendOptions& options = {}) {
    if (way == Way::blocking) return client.send(request, options);
    return block_on(net::default_reactor(), client.start(request, options));
}

inline std::string url_of(std::uint16_t port, const std::string& host = "127.0.0.1") {
    return "http://" + host + ":" + std::to_string(port);
}
inline std::string secure_url_of(std::uint16_t port) {
    return "https://localhost:" + std::to_string(port);
}

}  // namespace perdure::live
