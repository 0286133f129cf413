// SPDX-License-Identifier: Apache-2.0
//
// How is a session borrowed? From the pool if a good one is there, else a new one is made; given back
// when it is clean, dropped when it is not.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "perdure/net/pool.hpp"
#include "perdure/sql/driver.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// What a lease is taken from; lives longer.
struct Lender {
    Driver& driver;
    net::Pool& pool;
    Clock& clock;
    Duration connect_within;
};

enum class Freshness : std::uint8_t { pooled, fresh };

// One session. Held by one thread at a time; may be handed on.
class Lease {
public:
    explicit Lease(const Lender& lender) noexcept;
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease();

    // Once. Waits for its turn by the bounds. Failures have effect none.
    [[nodiscard]] Result<void> take(Freshness freshness, const Connecting& how);
    [[nodiscard]] Session& session() noexcept { return *session_; }
    // Keeps the place, for renew().
    void drop_session() noexcept { session_.reset(); }
    [[nodiscard]] Result<void> renew(const Connecting& how);
    // Rolls back what is open within `within`, so that the session can be given back.
    void clean(Duration within) noexcept;

private:
    struct Bell final : net::Waker {
        void wake() noexcept override;
        std::mutex mutex;
        std::condition_variable_any news;
        bool rung = false;
    };
    [[nodiscard]] Result<void> await_turn(const Bounds& bounds);
    // Where nobody gets through, one tries for all.
    [[nodiscard]] Result<void> await_leave_to_dial(const Bounds& bounds, Freshness freshness);
    [[nodiscard]] Result<void> connect(Freshness freshness, const Connecting& how);
    [[nodiscard]] Failure no_session(const Bounds& bounds, TimePoint now) const;
    void wait_for_news(std::unique_lock<std::mutex>& lock, const Bounds& bounds, Duration longest);

    Lender lender_;
    Bell bell_;
    net::Pool::Place place_;
    std::unique_ptr<Session> session_;
};

// Nobody gave his session back in time.
[[nodiscard]] Failure pool_full(const Bounds& bounds, TimePoint now);

}  // namespace sql
}  // namespace v0
}  // namespace perdure
