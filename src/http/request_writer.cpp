// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/request_writer.hpp"

#include <charconv>
#include <cstring>

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

// Servers wait for a length from these even when there is nothing to send (RFC 9110, 8.6).
bool has_body(const Request& request) noexcept {
    const std::string_view method = request.method();
    return !request.body().empty() || method == "POST" || method == "PUT" || method == "PATCH";
}

// Writes into room that was set aside: a quarter of the price of appending piece by piece.
class Pen {
public:
    explicit Pen(char* at) noexcept : at_{at} {}
    Pen& put(std::string_view text) noexcept {
        // Nothing may lie at a null pointer, which memcpy must not be given.
        if (!text.empty()) std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
        return *this;
    }
    Pen& field(std::string_view name, std::string_view value) noexcept {
        return put(name).put(": ").put(value).put("\r\n");
    }
    Pen& number(std::size_t value) noexcept {
        at_ = std::to_chars(at_, at_ + 20, value).ptr;
        return *this;
    }
    [[nodiscard]] const char* at() const noexcept { return at_; }

private:
    char* at_;
};

// At least what the head takes.
std::size_t room_for(const Request& request, std::string_view host, std::span<const Header> extra,
                     std::string_view origin) noexcept {
    // Spaces, version, "Host: ", "Content-Length: ", a number, line ends.
    constexpr std::size_t fixed = 80;
    constexpr std::size_t around = 4;  // a field's colon, space and line end
    std::size_t room =
        fixed + request.method().size() + origin.size() + request.target().size() + host.size();
    for (const Header& header : extra) room += header.name.size() + header.value.size() + around;
    for (const auto& [name, value] : request.headers()) room += name.size() + value.size() + around;
    return room;
}

}  // namespace

void append_head(std::string& out, const Request& request, std::string_view host,
                 std::span<const Header> extra, std::string_view origin, std::size_t room_after) {
    const Headers& own = request.headers();
    const std::size_t before = out.size();
    const std::size_t room = room_for(request, host, extra, origin);
    out.reserve(before + room + room_after);
    out.resize(before + room);
    Pen pen{out.data() + before};
    pen.put(request.method()).put(" ").put(origin).put(request.target()).put(" HTTP/1.1\r\n");
    pen.field("Host", own.find("host").value_or(host));
    for (const auto& [name, value] : extra)
        if (own.empty() || !own.find(name)) pen.field(name, value);
    for (const auto& [name, value] : own)
        if (!same_name(name, "host")) pen.field(name, value);
    if (has_body(request)) pen.put("Content-Length: ").number(request.body().size()).put("\r\n");
    pen.put("\r\n");
    out.resize(static_cast<std::size_t>(pen.at() - out.data()));
}

void append_request(std::string& out, const Request& request, std::string_view host,
                    std::span<const Header> extra, std::string_view origin) {
    append_head(out, request, host, extra, origin, request.body().size());
    out.append(request.body());
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
