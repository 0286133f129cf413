// SPDX-License-Identifier: Apache-2.0
//
// The header fields of a message: one line at a time with every check, or, where all of it is there
// and looks as it nearly always does, many at once. The quick way accepts nothing that the slow one
// would not accept with the same result; whatever it does not know it leaves to the slow one.
#include "perdure/http/message_parser.hpp"
#include "scan.hpp"
#include "text.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

// One line as nearly all of them are: a name of letters and hyphens, a colon, at most one space, a
// value without blanks around it and without control characters, CRLF.
struct PlainField {
    std::size_t colon = 0;
    std::size_t value = 0;  // where it begins
    std::size_t end = 0;    // where its line end begins; 0: the line is another
};

inline PlainField plain_field(std::string_view bytes) noexcept {
    const std::size_t colon = detail::find_name_end(bytes, 0);
    if (colon == 0 || colon + 2 >= bytes.size() || bytes[colon] != ':') return {};
    const std::size_t value = colon + 1 + (bytes[colon + 1] == ' ' ? 1 : 0);
    const std::size_t end = detail::find_control(bytes, value);
    if (end + 1 >= bytes.size() || bytes[end] != '\r' || bytes[end + 1] != '\n') return {};
    if (bytes[value] == ' ' || bytes[end - 1] == ' ' || end == value) return {};
    return {colon, value, end};
}

}  // namespace

inline void MessageParser::note_plain(std::string_view name, std::string_view value) {
    if (detail::is_name(name, "content-length")) return note_length(value);
    if (detail::is_name(name, "transfer-encoding")) return note_coding(value);
    if (detail::is_name(name, "connection")) note_connection(value);
}

std::size_t MessageParser::take_plain_fields(std::string_view bytes) {
    if (!pending_.empty()) return 0;
    std::size_t taken = 0;
    for (std::size_t count = headers_.size(); count < limits_.headers; ++count) {
        const std::string_view rest = bytes.substr(taken);
        const auto [colon, value, end] = plain_field(rest);
        if (end == 0 || taken + end + 2 > room_) break;
        headers_.place(taken, colon, taken + value, end - value);
        taken += end + 2;
        // The lengths of the three names that note_plain knows; most fields are told apart by that.
        if (colon != 10 && colon != 14 && colon != 17) continue;
        note_plain(rest.substr(0, colon), rest.substr(value, end - value));
        if (state_ == State::broken) break;
    }
    headers_.keep(bytes.substr(0, taken));
    room_ -= taken;
    head_bytes_ += taken;
    return taken;
}

void MessageParser::field(std::string_view line, Headers& into) {
    const std::size_t colon = detail::run_of(line, detail::token);
    if (colon == 0 || colon == line.size() || line[colon] != ':')
        return broken(Problem::malformed, "a header line is not a name, a colon and a value");
    const std::string_view value = detail::trimmed(line.substr(colon + 1));
    if (!detail::all_are(value, detail::field_text))
        return broken(Problem::malformed, "a header value has a control character");
    if (into.size() >= limits_.headers) return broken(Problem::too_large, "too many header fields");
    note(line.substr(0, colon), value);
    into.add(line.substr(0, colon), value);
}

// Only three fields decide about the end of the message.
void MessageParser::note(std::string_view name, std::string_view value) {
    if (same_name(name, "content-length")) return note_length(value);
    if (same_name(name, "transfer-encoding")) return note_coding(value);
    if (same_name(name, "connection")) note_connection(value);
}

void MessageParser::note_length(std::string_view value) {
    // 18 digits always fit, and nobody has a body that needs the nineteenth.
    bool number = !has_length_ && !head_complete_ && !value.empty() && value.size() <= 18;
    has_length_ = true;
    left_ = 0;
    for (const char digit : value) {
        number = number && digit >= '0' && digit <= '9';
        left_ = left_ * 10 + static_cast<unsigned char>(digit - '0');
    }
    if (!number) broken(Problem::malformed, "Content-Length is not one number");
}

void MessageParser::note_coding(std::string_view value) {
    if (chunked_ || head_complete_ || !same_name(value, "chunked"))
        return broken(Problem::malformed, "Transfer-Encoding is not one \"chunked\"");
    chunked_ = true;
}

void MessageParser::note_connection(std::string_view value) {
    if (head_complete_) return;  // a trailer comes too late to speak for the connection
    // What nearly all servers say, if they say anything.
    if (value.size() == 10 && detail::is_name(value, "keep-alive")) {
        keep_alive_ = true;
        return;
    }
    close_ = close_ || list_has(value, "close");
    keep_alive_ = keep_alive_ || list_has(value, "keep-alive");
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
