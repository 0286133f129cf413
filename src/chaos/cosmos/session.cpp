// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/session.hpp"

#include <charconv>

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

template <class Number>
bool whole(std::string_view text, Number& number) noexcept {
    const char* end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && last == end && !text.empty();
}

std::string_view cut(std::string_view& rest, char at) noexcept {
    const std::size_t end = rest.find(at);
    const std::string_view piece = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    return piece;
}

}  // namespace

std::optional<SessionMark> SessionMark::read(std::string_view token) {
    SessionMark mark;
    if (token.find('#') == std::string_view::npos) {
        if (!whole(token, mark.global)) return std::nullopt;
        return mark;
    }
    if (!whole(cut(token, '#'), mark.version) || !whole(cut(token, '#'), mark.global))
        return std::nullopt;
    while (!token.empty()) {
        std::string_view piece = cut(token, '#');
        std::pair<std::uint64_t, std::uint64_t> region;
        if (!whole(cut(piece, '='), region.first) || !whole(piece, region.second))
            return std::nullopt;
        mark.regions.push_back(region);
    }
    return mark;
}

std::string SessionMark::write(SessionForm form) const {
    if (form == SessionForm::plain) return "-1#" + std::to_string(global);
    std::string text = std::to_string(version) + '#' + std::to_string(global);
    for (const auto& [id, lsn] : regions)
        text += '#' + std::to_string(id) + '=' + std::to_string(lsn);
    return text;
}

bool SessionMark::covers(const SessionMark& other) const noexcept {
    if (version < other.version || global < other.global) return false;
    for (const auto& [id, lsn] : regions)
        for (const auto& [other_id, other_lsn] : other.regions)
            if (id == other_id && lsn < other_lsn) return false;
    return true;
}

std::vector<SessionPart> parts_of(std::string_view header) {
    std::vector<SessionPart> parts;
    while (!header.empty()) {
        std::string_view piece = cut(header, ',');
        SessionPart part;
        if (piece.find(':') != std::string_view::npos) part.range = cut(piece, ':');
        part.token = piece;
        parts.push_back(part);
    }
    return parts;
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
