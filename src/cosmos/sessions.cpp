// SPDX-License-Identifier: Apache-2.0
#include "sessions.hpp"

#include <algorithm>

namespace perdure {
inline namespace v0 {
namespace cosmos {

void Sessions::heard(std::string_view header, std::string_view rid) {
    const std::lock_guard held{mutex_};
    if (!rid.empty() && rid != rid_) {
        if (!rid_.empty()) {
            ranges_.clear();
            any_.store(false, std::memory_order_release);
        }
        rid_ = rid;
    }
    if (header.empty()) return;
    const std::string_view id = header.substr(0, header.find(':'));
    if (const auto known = ranges_.find(id); known != ranges_.end() && known->second.text == header)
        return;
    const auto tokens = parse_session_header(header);
    if (!tokens) return;
    for (const RangeToken& each : *tokens) {
        const auto [place, added] = ranges_.try_emplace(each.range);
        Seen& seen = place->second;
        if (added) {
            seen.token = each.token;
            news_.fetch_add(1, std::memory_order_release);
        } else {
            seen.token.merge(each.token);
        }
        const bool newest = tokens->size() == 1 && seen.token == each.token;
        seen.text =
            newest && header.find(',') == std::string_view::npos ? header : std::string_view{};
    }
    any_.store(!ranges_.empty(), std::memory_order_release);
}

void Sessions::forget() {
    const std::lock_guard held{mutex_};
    clear();
}

void Sessions::forget_but(std::string_view rid) {
    const std::lock_guard held{mutex_};
    if (!rid_.empty() && !rid.empty() && rid_ != rid) clear();
}

void Sessions::clear() {
    ranges_.clear();
    rid_.clear();
    any_.store(false, std::memory_order_release);
}

bool Sessions::all_in(const RoutingMap& map) const {
    const std::lock_guard held{mutex_};
    return std::ranges::all_of(
        ranges_, [&](const auto& one) { return map.find(one.first) || map.is_gone(one.first); });
}

void Sessions::append_for(std::string& out, const PartitionRange& range) const {
    const std::lock_guard held{mutex_};
    if (const auto own = ranges_.find(range.id); own != ranges_.end()) {
        if (own->second.text.empty()) append_session_header(out, range.id, own->second.token);
        else out += own->second.text;
        return;
    }
    SessionToken token;
    bool any = false;
    for (const std::string& parent : range.parents) {
        const auto seen = ranges_.find(parent);
        if (seen == ranges_.end()) continue;
        if (any) token.merge(seen->second.token);
        else token = seen->second.token;
        any = true;
    }
    if (any) append_session_header(out, range.id, token);
}

void Sessions::append_all(std::string& out) const {
    const std::lock_guard held{mutex_};
    for (const auto& [id, seen] : ranges_) append_session_header(out, id, seen.token);
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
