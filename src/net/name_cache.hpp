// SPDX-License-Identifier: Apache-2.0
//
// What is remembered about names, and for how long? No clock and no lock of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "perdure/net/resolver.hpp"
#include "perdure/time/keyed_hash.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

// Either addresses or a failure.
struct Answer {
    std::shared_ptr<const Addresses> addresses{};
    std::shared_ptr<const Failure> failure{};
};

// What is to be remembered of an answer: addresses for their time to live, that there is no such
// name, addresses that hold forever, or nothing.
enum class Memory : std::uint8_t { for_its_ttl, negative, forever, none };

struct NameAnswer {
    Answer answer{};
    Memory memory = Memory::none;
    Duration ttl{};
};

// Used under the lock of its owner.
class NameCache {
public:
    struct Entry {
        std::string name;
        Answer answer{};
        TimePoint fresh_until{};  // afterwards it is asked for anew
        TimePoint kept_until{};   // until then it is given meanwhile
    };

    NameCache(const ResolverOptions& options, Random& random) noexcept
        : options_{options}, random_{random} {}

    // Null when nothing can be said any more. One that is not fresh must be asked for anew.
    [[nodiscard]] const Entry* find(std::string_view name, TimePoint now) const;
    // An answer not to be remembered leaves an older one in place, but it is not asked for again at
    // once: a name server that refuses would otherwise be asked at every call.
    void store(std::string_view name, const NameAnswer& answer, TimePoint now);
    void forget(std::string_view name);

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
    using Entries = std::list<Entry>;

    void keep_older(Entry& entry, TimePoint now);
    void limit(Entry& entry, const NameAnswer& answer, TimePoint now);
    [[nodiscard]] TimePoint end_of_negative(TimePoint now);

    const ResolverOptions& options_;
    Random& random_;
    Entries entries_;  // the longest unanswered first
    std::unordered_map<std::string_view, Entries::iterator, KeyedHash> by_name_;
};

}  // namespace net
}  // namespace v0
}  // namespace perdure
