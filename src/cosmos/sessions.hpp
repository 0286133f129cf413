// SPDX-License-Identifier: Apache-2.0
//
// How far has this client seen each partition of a container go? What it must send so that no read is
// older than that.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "perdure/cosmos/wire/partition_ranges.hpp"
#include "perdure/cosmos/wire/session_token.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Shared: any thread.
class Sessions {
public:
    // What an answer said. `rid`: the container it came from; another one than before means that the
    // container was made anew, and what was seen of the old one counts no more.
    void heard(std::string_view header, std::string_view rid);
    void forget();
    // What was seen of another container of the same name.
    void forget_but(std::string_view rid);

    // Whether anything has been heard; without a lock.
    [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_acquire); }
    // How many ranges have been heard of, once each; without a lock.
    [[nodiscard]] std::uint64_t news() const noexcept {
        return news_.load(std::memory_order_acquire);
    }
    // Whether this map has all of them, or what became of them.
    [[nodiscard]] bool all_in(const RoutingMap& map) const;
    // The header's value for a read of this range: its own token, or what its parents had seen as long as
    // nothing was heard of the range itself. Parents' tokens are never merged into its own: a parent with
    // a higher version would ask the range for a progress that it never reaches. Empty: none.
    void append_for(std::string& out, const PartitionRange& range) const;
    // Of every range: right, but long.
    void append_all(std::string& out) const;

private:
    void clear();  // with the lock

    struct Seen {
        std::string
            text{};  // the token as the service wrote it, which most answers repeat; or empty
        SessionToken token{};
    };

    mutable std::mutex mutex_;
    std::map<std::string, Seen, std::less<>> ranges_;
    std::string rid_;
    std::atomic<bool> any_{false};
    std::atomic<std::uint64_t> news_{0};
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
