// SPDX-License-Identifier: Apache-2.0
//
// What has the room been through on the way? Counted from its events, which are passed on.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

#include "load/target/target.hpp"
#include "perdure/call/observer.hpp"

namespace tool::load {

// The name under which rows are written, in diagnostics too.
inline constexpr std::string_view write_operation = "load";

// Safe for any number of threads.
class TargetWatch final : public perdure::Observer {
public:
    // Counts calls of this name, which must outlive it.
    explicit TargetWatch(perdure::Observer* next,
                         std::string_view operation = write_operation) noexcept
        : next_{next}, operation_{operation} {}
    void on_event(const perdure::Event& event) noexcept override;
    [[nodiscard]] bool wants_calls() const noexcept override {
        return next_ && next_->wants_calls();
    }
    void on_call(const perdure::Diagnostics& call) noexcept override {
        if (next_) next_->on_call(call);
    }
    [[nodiscard]] TargetCounts counts() const noexcept;
    // As Target has it. Of all calls, whatever their name.
    [[nodiscard]] std::optional<Waiting> waiting() const;

private:
    void count(const perdure::Event& event) noexcept;
    void note_waiting(const perdure::Event& event) noexcept;

    perdure::Observer* next_;
    const std::string_view operation_;
    std::atomic<std::uint64_t> attempts_{0};
    std::atomic<std::uint64_t> retries_{0};
    std::atomic<std::uint64_t> throttled_{0};
    std::atomic<std::uint64_t> asked_{0};
    std::atomic<std::uint64_t> unknown_{0};
    mutable std::mutex mutex_;
    std::optional<Waiting> waiting_{};
    perdure::Duration allowed_{};  // of the call that began last
};

}  // namespace tool::load
