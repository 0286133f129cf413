// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/wire/session_token.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

constexpr std::size_t longest_range_id = 64;

// What stands before the mark, taken off the text; all of it where there is no mark.
std::string_view cut(std::string_view& text, char mark) {
    const auto end = std::min(text.find(mark), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

bool read(std::string_view text, std::int64_t& number, std::int64_t least) {
    const char* const end = text.data() + text.size();
    const auto got = std::from_chars(text.data(), text.data() + text.size(), number);
    return !text.empty() && got.ec == std::errc{} && got.ptr == end && number >= least;
}

void append(std::string& out, std::int64_t number) {
    char text[24];
    out.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

bool is_range_id(std::string_view id) {
    const auto plain = [](char c) { return c > ' ' && c < 0x7f && c != ':' && c != ','; };
    return !id.empty() && id.size() <= longest_range_id && std::ranges::all_of(id, plain);
}

}  // namespace

std::optional<SessionToken> SessionToken::parse(std::string_view text) {
    SessionToken token;
    // A mark at the end would promise one more.
    if (text.ends_with('#') || text.find('#') == std::string_view::npos) return {};
    if (!read(cut(text, '#'), token.version_, -1)) return {};
    if (!read(cut(text, '#'), token.global_, token.version_ < 0 ? -1 : 0)) return {};
    while (!text.empty()) {
        std::string_view part = cut(text, '#');
        RegionProgress next;
        if (part.find('=') == std::string_view::npos || token.regions_.size() == most_regions)
            return {};
        if (!read(cut(part, '='), next.region, 0) || !read(part, next.lsn, -1)) return {};
        const auto place =
            std::ranges::lower_bound(token.regions_, next.region, {}, &RegionProgress::region);
        if (place != token.regions_.end() && place->region == next.region) return {};
        token.regions_.insert(place, next);
    }
    return token;
}

void SessionToken::merge(const SessionToken& other) {
    if (other.version_ > version_) {
        const SessionToken older = std::exchange(*this, other);
        return keep_progress_of(older);
    }
    if (other.version_ < version_) return keep_progress_of(other);
    global_ = std::max(global_, other.global_);
    auto place = regions_.begin();
    for (const RegionProgress& each : other.regions_) {
        while (place != regions_.end() && place->region < each.region) ++place;
        if (place != regions_.end() && place->region == each.region)
            place->lsn = std::max(place->lsn, each.lsn);
        else place = regions_.insert(place, each);
    }
}

void SessionToken::keep_progress_of(const SessionToken& older) {
    auto place = older.regions_.begin();
    for (RegionProgress& each : regions_) {
        while (place != older.regions_.end() && place->region < each.region) ++place;
        if (place == older.regions_.end()) return;
        if (place->region == each.region) each.lsn = std::max(each.lsn, place->lsn);
    }
}

bool SessionToken::ahead_of(const SessionToken& other) const noexcept {
    if (version_ > other.version_) return true;
    const bool same_version = version_ == other.version_;
    if (same_version && global_ > other.global_) return true;
    auto place = other.regions_.begin();
    for (const RegionProgress& each : regions_) {
        while (place != other.regions_.end() && place->region < each.region) ++place;
        const bool known = place != other.regions_.end() && place->region == each.region;
        if (known ? each.lsn > place->lsn : same_version) return true;
    }
    return false;
}

void SessionToken::append_to(std::string& out) const {
    append(out, version_);
    out += '#';
    append(out, global_);
    for (const RegionProgress& each : regions_) {
        out += '#';
        append(out, each.region);
        out += '=';
        append(out, each.lsn);
    }
}

std::string SessionToken::text() const {
    std::string made;
    append_to(made);
    return made;
}

Result<std::vector<RangeToken>> parse_session_header(std::string_view value) {
    std::vector<RangeToken> tokens;
    const auto unreadable = [] {
        return fail({.cause = Cause::corrupt,
                     .code = "unreadable-session-token",
                     .message = "the session token cannot be read"});
    };
    if (value.empty() || value.ends_with(',')) return unreadable();
    while (!value.empty()) {
        std::string_view part = cut(value, ',');
        const std::string_view range = cut(part, ':');
        auto token = SessionToken::parse(part);
        if (!token || !is_range_id(range)) return unreadable();
        tokens.push_back({std::string{range}, *std::move(token)});
    }
    return tokens;
}

void append_session_header(std::string& out, std::string_view range, const SessionToken& token) {
    if (!out.empty()) out += ',';
    out += range;
    out += ':';
    token.append_to(out);
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
