// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/message_parser.hpp"

#include <algorithm>
#include <cstring>

#include "text.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

// A server may promise 64 MB and send nothing: no more than this is set aside on its word.
constexpr std::uint64_t trusted_length = 1 << 20;
// 16 digits and the end of the line; what a chunk's line has beyond that are extensions.
constexpr std::size_t chunk_line = 18;
// So that the list of most responses is set aside once.
constexpr std::size_t usual_fields = 16;

}  // namespace

void MessageParser::reset() {
    state_ = State::start;
    kind_ = Problem::none;
    problem_ = {};
    begun_ = head_complete_ = until_close_ = false;
    left_ = 0;
    head_bytes_ = 0;
    extensions_left_ = limits_.head;
    trailers_.clear();
    body_.clear();
    pending_.clear();
    begin_head();
}

void MessageParser::begin_head() {
    state_ = State::start;
    minor_ = 1;
    has_length_ = chunked_ = close_ = keep_alive_ = false;
    room_ = limits_.head;
    headers_.clear();
    headers_.reserve(usual_fields, 0);
}

void MessageParser::broken(Problem kind, std::string_view problem) noexcept {
    state_ = State::broken;
    kind_ = kind;
    problem_ = problem;
}

Parsed MessageParser::verdict() const noexcept {
    if (state_ == State::complete) return Parsed::complete;
    return state_ == State::broken ? Parsed::broken : Parsed::more;
}

bool MessageParser::keep_alive() const noexcept {
    if (state_ != State::complete || until_close_ || close_) return false;
    return minor_ >= 1 || keep_alive_;
}

bool MessageParser::announces_body(Framing framing) const noexcept {
    return framing == Framing::chunked || (framing == Framing::length && left_ > 0);
}

Parsed MessageParser::feed(std::string_view bytes, std::size_t& used) {
    std::size_t at = 0;
    begun_ = begun_ || !bytes.empty();
    while (at < bytes.size() && state_ < State::complete) at += step(bytes.substr(at));
    used = at;
    return verdict();
}

Parsed MessageParser::end_of_stream() {
    if (state_ == State::until_close) state_ = State::complete;
    else if (state_ < State::complete)
        broken(Problem::truncated, begun_ ? "the connection closed within the message"
                                          : "the connection closed before the message");
    return verdict();
}

std::size_t MessageParser::step(std::string_view bytes) {
    switch (state_) {
        case State::body:
        case State::chunk: return take_body(bytes);
        case State::chunk_end: return take_chunk_end(bytes.front());
        case State::until_close: return take_until_close(bytes);
        case State::field:
            if (const std::size_t taken = take_plain_fields(bytes)) return taken;
            return take_line(bytes);
        default: return take_line(bytes);
    }
}

std::size_t MessageParser::take_line(std::string_view bytes) {
    const auto* end = static_cast<const char*>(std::memchr(bytes.data(), '\n', bytes.size()));
    const std::size_t taken = end ? static_cast<std::size_t>(end - bytes.data()) + 1 : bytes.size();
    if (taken > room_) {
        broken(Problem::too_large, "the head, the trailers or a chunk's line is too long");
        return taken;
    }
    room_ -= taken;
    if (!head_complete_) head_bytes_ += taken;
    if (!end || !pending_.empty()) pending_.append(bytes.substr(0, taken));
    if (!end) return taken;
    const std::string_view whole = pending_.empty() ? bytes.substr(0, taken) : pending_;
    if (whole.size() < 2 || whole[whole.size() - 2] != '\r')
        broken(Problem::malformed, "a line ends in a bare line feed");
    else line(whole.substr(0, whole.size() - 2));
    pending_.clear();
    return taken;
}

void MessageParser::line(std::string_view line) {
    switch (state_) {
        case State::start:
            state_ = State::field;
            start_line(line);
            break;
        case State::field: line.empty() ? end_head() : field(line, headers_); break;
        case State::chunk_size: chunk_size(line); break;
        default:
            if (line.empty()) state_ = State::complete;
            else field(line, trailers_);
    }
}

void MessageParser::end_head() {
    if (chunked_ && has_length_)
        return broken(Problem::malformed, "both Content-Length and Transfer-Encoding");
    if (chunked_ && minor_ == 0) return broken(Problem::malformed, "Transfer-Encoding in HTTP/1.0");
    Framing framing = chunked_      ? Framing::chunked
                      : has_length_ ? Framing::length
                                    : Framing::until_close;
    const Following following = head_ended(framing);
    if (state_ == State::broken) return;
    if (following == Following::another_head) return begin_head();
    head_complete_ = true;
    begin_body(framing);
}

void MessageParser::begin_body(Framing framing) {
    switch (framing) {
        case Framing::none: state_ = State::complete; break;
        case Framing::chunked: begin_chunk_line(); break;
        case Framing::until_close:
            until_close_ = true;
            state_ = State::until_close;
            break;
        case Framing::length:
            if (left_ > limits_.body) return broken(Problem::too_large, "the body is too long");
            body_.reserve(static_cast<std::size_t>(std::min(left_, trusted_length)));
            state_ = left_ == 0 ? State::complete : State::body;
            break;
    }
}

std::size_t MessageParser::take_body(std::string_view bytes) {
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
    body_.append(bytes.substr(0, taken));
    left_ -= taken;
    if (left_ == 0) state_ = state_ == State::chunk ? State::chunk_end : State::complete;
    return taken;
}

std::size_t MessageParser::take_until_close(std::string_view bytes) {
    if (bytes.size() > limits_.body - body_.size())
        broken(Problem::too_large, "the body is too long");
    else body_.append(bytes);
    return bytes.size();
}

void MessageParser::begin_chunk_line() {
    state_ = State::chunk_size;
    chunk_end_ = 0;
    room_ = chunk_line + extensions_left_;
}

void MessageParser::chunk_size(std::string_view line) {
    const std::size_t digits = detail::run_of(line, detail::hex);
    // Blanks may stand before an extension, and a recipient must read over them (RFC 9112 7.1.1, RFC 9110
    // 5.6.3). Old servers pad the size with them to a fixed width.
    const std::size_t after = std::min(line.find_first_not_of(" \t", digits), line.size());
    const bool ends = after == line.size() || line[after] == ';';
    if (digits == 0 || digits > 16 || !ends || !detail::all_are(line, detail::field_text))
        return broken(Problem::malformed, "a chunk's size is not a number");
    left_ = 0;
    for (const char digit : line.substr(0, digits))
        left_ = left_ << 4U |
                static_cast<unsigned>(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
    if (line.size() - digits > extensions_left_)
        return broken(Problem::too_large, "the chunk extensions are too long");
    extensions_left_ -= line.size() - digits;
    if (left_ > limits_.body - body_.size())
        return broken(Problem::too_large, "the body is too long");
    if (left_ > 0) {
        state_ = State::chunk;
    } else {
        state_ = State::trailer;
        room_ = limits_.head;
    }
}

std::size_t MessageParser::take_chunk_end(char byte) {
    if (byte != "\r\n"[chunk_end_]) broken(Problem::malformed, "a chunk is longer than its size");
    else if (++chunk_end_ == 2) begin_chunk_line();
    return 1;
}

int MessageParser::minor_of(std::string_view text) noexcept {
    if (text.size() < 8 || !text.starts_with("HTTP/1.") || !detail::is(text[7], detail::digit))
        return -1;
    return text[7] - '0';
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
