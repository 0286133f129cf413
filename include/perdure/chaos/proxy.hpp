// SPDX-License-Identifier: Apache-2.0
//
// How do I make a network fail on purpose? Put this between client and server; it breaks what its
// plan says and keeps account of it.
//
//     auto proxy = chaos::Proxy::start(plan, {.to = "127.0.0.1:5432"});
//     connect((*proxy)->address());
//     (*proxy)->change({});                         // from here on everything passes
#pragma once

#include "perdure/cxx20.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "perdure/chaos/plan.hpp"
#include "perdure/chaos/record.hpp"
#include "perdure/result.hpp"
#include "perdure/time/clock.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

enum class Listening : std::uint8_t { loopback_only, anywhere };

struct ProxyOptions {
    std::string listen = "127.0.0.1:0";  // 0: a free port
    std::string to{};                    // "127.0.0.1:9000", "[::1]:9000" or "localhost:9000"
    Listening allow = Listening::loopback_only;
    std::size_t records = 10'000;     // the latest are kept
    std::string id_header{};          // its value is kept in the record of each request
    std::size_t connections = 4'000;  // at once; more wait at the door
};

// Runs on one thread of its own from start() until it is destroyed; that takes no longer than a turn
// of that thread, whatever connections are open: they are reset. Every function may be called from
// any thread.
class Proxy {
public:
    // Cause `invalid` for a plan or option that cannot be meant, with the fix in the message; the
    // clock must outlive the proxy.
    static Result<std::unique_ptr<Proxy>> start(Plan plan, ProxyOptions options,
                                                Clock& clock = system_clock());
    Proxy(const Proxy&) = delete;
    Proxy& operator=(const Proxy&) = delete;
    ~Proxy();

    [[nodiscard]] std::uint16_t port() const noexcept;
    [[nodiscard]] std::string address() const;  // "127.0.0.1:40123"

    // In force when it returns, for what is accepted or read from then on. The rules count anew.
    Result<void> change(Plan plan);

    [[nodiscard]] Counters counters() const;
    [[nodiscard]] std::string counters_json() const;
    // Oldest first. A request's record is there before its client has the last byte of the reply.
    [[nodiscard]] std::vector<Record> records() const;
    // The records since the last call, for whoever writes them out; records() does not have them
    // any more.
    [[nodiscard]] std::vector<Record> take_records();
    [[nodiscard]] TimePoint started() const noexcept;

private:
    struct Inside;
    explicit Proxy(std::unique_ptr<Inside> inside) noexcept;

    std::unique_ptr<Inside> inside_;
};

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
