// SPDX-License-Identifier: Apache-2.0
//
// Where do those who look up names and the thread that asks for them meet?
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "net/host_name.hpp"
#include "net/name_cache.hpp"
#include "net/nudge.hpp"
#include "net/question.hpp"
#include "perdure/time/keyed_hash.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

// Shared by all threads.
class ResolverDesk {
public:
    ResolverDesk(ResolverOptions options, Clock& clock, Random& random)
        : options_{std::move(options)}, clock_{clock}, cache_{options_, random} {}
    ResolverDesk(const ResolverDesk&) = delete;
    ResolverDesk& operator=(const ResolverDesk&) = delete;
    ~ResolverDesk();

    [[nodiscard]] Lookup look_up(std::string_view host, Waker& waker);
    void forget(std::string_view host);
    [[nodiscard]] const Clock& clock() const noexcept { return clock_; }

private:
    using Held = std::lock_guard<std::mutex>;

    static Lookup remembered(const Answer& answer);
    Result<std::shared_ptr<Question>> ask(std::string_view name, TimePoint now, const Held&);
    Result<void> start_thread(const Held&);

    // On the thread.
    void turn(const std::stop_token& stop);
    std::vector<std::shared_ptr<Question>> take_new();
    void settle(const std::shared_ptr<Question>& question, const NameAnswer& answer);

    const ResolverOptions options_;
    Clock& clock_;
    std::mutex mutex_;
    NameCache cache_;
    // By their own names.
    std::unordered_map<std::string_view, std::shared_ptr<Question>, KeyedHash> asked_{};
    std::vector<std::shared_ptr<Question>> new_{};  // of these, what the thread has not seen yet
    std::optional<Nudge> nudge_{};                  // set once, before the thread begins
    std::jthread thread_{};
};

}  // namespace net
}  // namespace v0
}  // namespace perdure
