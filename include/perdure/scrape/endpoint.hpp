// SPDX-License-Identifier: Apache-2.0
//
// How does Prometheus read this process? A small HTTP server on loopback that answers GET /metrics.
//
//     Metrics metrics;
//     auto endpoint = Endpoint::start({.listen = "127.0.0.1:9464"},
//                                     [&metrics] { return metrics.prometheus(); });
//
// It has no secrets to keep and no door to lock, so it listens on loopback only, unless told. A thread
// of its own answers, a bounded number of connections at once, each for a bounded time.
#pragma once

#include "perdure/cxx20.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "perdure/result.hpp"
#include "perdure/time/clock.hpp"

namespace perdure {
inline namespace v0 {

enum class Reach : std::uint8_t { loopback_only, anywhere };

struct EndpointOptions {
    std::string listen = "127.0.0.1:9464";  // port 0: a free one
    Reach reach = Reach::loopback_only;
    std::size_t connections = 16;
    Duration request_within = 2s;  // from its first moment until the answer was read
};

// Any thread. Ends within 200 ms, unless `render` takes longer.
class Endpoint {
public:
    using Render =
        std::function<std::string()>;  // on the endpoint's thread; what it throws is a 500

    static Result<std::unique_ptr<Endpoint>> start(EndpointOptions options, Render render,
                                                   Clock& clock = system_clock());
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;
    ~Endpoint();

    [[nodiscard]] std::uint16_t port() const noexcept;
    [[nodiscard]] std::string url() const;  // "http://127.0.0.1:9464/metrics"

private:
    struct Inside;
    explicit Endpoint(std::unique_ptr<Inside> inside) noexcept;
    std::unique_ptr<Inside> inside_;
};

}  // namespace v0
}  // namespace perdure
