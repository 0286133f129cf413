// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/resolver.hpp"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "net/dns_failures.hpp"
#include "net/question.hpp"
#include "net/resolver_desk.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

Lookup::Lookup() noexcept = default;
Lookup::Lookup(std::shared_ptr<const Addresses> addresses) noexcept
    : addresses_{std::move(addresses)} {}
Lookup::Lookup(std::shared_ptr<const Failure> failure) noexcept : failure_{std::move(failure)} {}
Lookup::Lookup(std::shared_ptr<Question> question, Waker& waker)
    : question_{std::move(question)}, waker_{&waker} {
    question_->join(waker);
}
Lookup::Lookup(Lookup&& other) noexcept = default;
Lookup& Lookup::operator=(Lookup&& other) noexcept {
    leave();
    addresses_ = std::move(other.addresses_);
    failure_ = std::move(other.failure_);
    question_ = std::move(other.question_);
    waker_ = other.waker_;
    return *this;
}
Lookup::~Lookup() { leave(); }

void Lookup::leave() noexcept {
    if (question_) question_->leave(*waker_);
    question_.reset();
}

bool Lookup::done() const noexcept {
    assert(addresses_ || failure_ || question_);
    return !question_ || question_->settled();
}

Result<std::shared_ptr<const Addresses>> Lookup::take() {
    assert(done());
    if (question_) {
        addresses_ = question_->answer().addresses;
        failure_ = question_->answer().failure;
        leave();
    }
    if (addresses_) return std::move(addresses_);
    return fail(*failure_);
}

namespace {

// For one who blocks on his own thread.
class BlockingWaker final : public Waker {
public:
    void wake() noexcept override {
        const std::lock_guard held{mutex_};
        rung_ = true;
        wake_.notify_one();
    }
    void wait_until(TimePoint until, const std::stop_token& stop) {
        std::unique_lock held{mutex_};
        wake_.wait_until(held, stop, until, [this] { return rung_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable_any wake_;
    bool rung_ = false;
};

// The deadline may be of another clock than the one the machine waits by.
TimePoint by_machine(Deadline deadline, const Clock& clock) {
    constexpr Duration long_enough = 24h;  // every lookup has ended before
    const Duration left = std::min(deadline.left(clock.now()), long_enough);
    return system_clock().now() + left;
}

}  // namespace

Resolver::Resolver(ResolverOptions options, Clock& clock, Random& random)
    : desk_{std::make_unique<ResolverDesk>(std::move(options), clock, random)} {}
Resolver::~Resolver() = default;

Lookup Resolver::look_up(std::string_view host, Waker& waker) {
    return desk_->look_up(host, waker);
}

Result<Addresses> Resolver::look_up_by(std::string_view host, std::uint16_t port, Deadline deadline,
                                       const std::stop_token& stop) {
    BlockingWaker waker;
    Lookup lookup = look_up(host, waker);
    if (!lookup.done()) waker.wait_until(by_machine(deadline, desk_->clock()), stop);
    if (!lookup.done()) {
        return fail(stop.stop_requested() ? dns_cancelled(host) : dns_timeout(host));
    }
    return lookup.take().transform([&](const std::shared_ptr<const Addresses>& found) {
        Addresses addresses = *found;
        for (Address& address : addresses) address = address.with_port(port);
        return addresses;
    });
}

void Resolver::forget(std::string_view host) { desk_->forget(host); }

Resolver& default_resolver() {
    static auto* const resolver = new Resolver;
    return *resolver;
}

}  // namespace net
}  // namespace v0
}  // namespace perdure
