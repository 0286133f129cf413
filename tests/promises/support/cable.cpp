// SPDX-License-Identifier: Apache-2.0
#include "promises/support/cable.hpp"

#include <utility>

#include "live/support/process.hpp"

namespace perdure::promises {
namespace {

std::unique_ptr<chaos::Proxy> relay(const net::Address& from, const std::string& to) {
    auto proxy = chaos::Proxy::start(
        {.protocol = chaos::Protocol::tcp},
        {.listen = from.to_string(), .to = to, .allow = chaos::Listening::anywhere});
    if (!proxy) live::give_up(to_string(proxy.error()));
    return *std::move(proxy);
}

}  // namespace

Cable::Cable(std::uint16_t server) {
    if (!missing().empty()) return;
    near_ = relay(net_.near_address(0), "127.0.0.1:" + std::to_string(server));
    net_.within(
        [this] { far_ = relay(net_.address(0), net_.near_address(near_->port()).to_string()); });
}

}  // namespace perdure::promises
