// SPDX-License-Identifier: Apache-2.0
//
// Who turns an exchange when no thread may wait? A block that is woken by its sockets, its alarm, other
// threads and its canceller, all of them on the reactor's thread.
//
//     Making has `Engine`, `make(std::optional<Engine>&, net::Waker&, TimePoint)` and `let_go()`.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "perdure/call/call.hpp"
#include "perdure/http/response.hpp"
#include "route.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

template <class Making>
class AsyncCall final : public detail::CallFor<Result<Response>> {
public:
    template <class... Parts>
    AsyncCall(net::Reactor& reactor, const Operation& what, Parts&&... parts)
        : CallFor{reactor, what},
          reactor_{reactor},
          making_{std::forward<Parts>(parts)...},
          bell_{this} {
        for (Errand& errand : errands_) errand.call = this;
    }

    bool begin(detail::Listener listener) override {
        listener_ = listener;
        if (!this->executor.here()) return this->turn_later(), false;
        beginning_ = true;
        turn();
        beginning_ = false;
        return ended_;
    }
    void abandon() noexcept override { end(); }

private:
    struct Errand : Job {
        Errand() noexcept : Job{[](Job& job) { static_cast<Errand&>(job).call->wake(); }} {}
        AsyncCall* call = nullptr;
    };
    // News from other threads; several become one turn.
    struct Bell final : Job, net::Waker {
        explicit Bell(AsyncCall* whose) noexcept : Job{&Bell::rung}, call{whose} {}
        void wake() noexcept override {
            if (posted.exchange(true, std::memory_order_acq_rel)) return;
            call->hold();
            call->executor.post(*this);
        }
        static void rung(Job& job) {
            auto& bell = static_cast<Bell&>(job);
            AsyncCall* const call = bell.call;
            bell.posted.store(false, std::memory_order_release);
            call->AsyncCall::wake();
            call->drop();
        }
        AsyncCall* call;
        std::atomic<bool> posted{false};
    };
    struct Cancel {
        void operator()() const noexcept { call->request_cancel(); }
        AsyncCall* call;
    };
    struct Passing {  // a descriptor that is no pooled connection's: one of a race of addresses
        int fd = -1;
        std::unique_ptr<net::Watch> watch;
    };

    void turn() override {
        if (ended_) return;
        this->turning_ = true;
        stop_watching();
        bool over = true;
        try {
            over = advance(this->executor.clock().now());
        } catch (...) {
            this->thrown = std::current_exception();
        }
        this->turning_ = false;
        if (over) finish();
    }
    bool advance(TimePoint now) {
        if (!engine_) {
            making_.make(engine_, bell_, now);
            const std::stop_token& stop = this->operation.stop;
            this->cancel_requested_ = stop.stop_requested();
            if (stop.stop_possible() && !this->cancel_requested_)
                on_stop_.emplace(stop, Cancel{this});
        }
        if (std::exchange(this->cancel_requested_, false)) engine_->cancel(now);
        if (engine_->turn(now, wants_)) return true;
        watch();
        this->wait_until(wants_.until());
        return false;
    }
    void watch() {
        std::size_t at = 0;
        for (const net::Want& want : wants_.sockets()) {
            net::Watch* const watch = watch_of(want.fd);
            // No descriptor left to watch with: look again soon.
            if (!watch) wants_.until(this->executor.clock().now() + 5ms);
            else watch->wait(want.for_what, errands_[at]);
            watching_[at++] = watch;
            watching_count_ = at;
        }
    }
    net::Watch* watch_of(int fd) {
        net::Watch* found = nullptr;
        engine_->each_connection([&](Connection& connection) {
            if (connection.stream->fd() != fd) return;
            if (connection.watched_by != &reactor_) {
                connection.watch.reset();
                connection.watch = reactor_.watch(fd);
                connection.watched_by = connection.watch ? &reactor_ : nullptr;
            }
            found = connection.watch.get();
        });
        if (found) return found;
        passing_.push_back({fd, reactor_.watch(fd)});
        return passing_.back().watch.get();
    }
    // Before anything is closed: a watch must not outlive its descriptor.
    void stop_watching() noexcept {
        for (std::size_t i = 0; i < watching_count_; ++i)
            if (watching_[i]) watching_[i]->cancel();
        watching_count_ = 0;
        passing_.clear();
    }
    void end() noexcept {
        ended_ = true;
        on_stop_.reset();
        this->stop_waiting();
        stop_watching();
        engine_.reset();
        // Before the caller goes on: what it was given for the call may be gone afterwards, while this
        // block is still held by whoever woke it.
        making_.let_go();
    }
    void finish() {
        if (engine_ && !this->thrown) this->winner.emplace(engine_->take());
        end();
        const detail::Listener listener = listener_;
        if (!beginning_) listener.ended(listener.who);  // nothing after this: it may end our life
    }

    net::Reactor& reactor_;
    Making making_;
    Bell bell_;
    std::array<Errand, net::Wants::most> errands_;
    std::array<net::Watch*, net::Wants::most> watching_{};
    std::size_t watching_count_ = 0;
    std::vector<Passing> passing_;
    net::Wants wants_;
    detail::Listener listener_{};
    std::optional<typename Making::Engine> engine_;
    std::optional<std::stop_callback<Cancel>> on_stop_;
    bool beginning_ = false;
    bool ended_ = false;
};

}  // namespace http
}  // namespace v0
}  // namespace perdure
