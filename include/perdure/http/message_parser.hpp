// SPDX-License-Identifier: Apache-2.0
//
// Where does an HTTP/1 message end, and what is in it? What requests and responses share: lines,
// header fields, framing and body. Bytes go in as they come, in pieces of any size.
//
//     const Parsed parsed = parser.feed(bytes, used);       // see parser.hpp, request_parser.hpp
//
// Strict where two readers could disagree about the end of a message (RFC 9112, 11.2), because that
// is how requests are smuggled and answers mixed up: only CRLF ends a line, nothing is folded, one
// Content-Length or one "chunked" and never both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/http/headers.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

struct Limits {
    std::size_t head = 65'536;        // bytes; servers refuse at 8 to 32 KB, cookies are long
    std::size_t headers = 200;        // fields; also of the trailers
    std::size_t body = 67'108'864;    // bytes, held in memory
    std::size_t decompressed = body;  // a small gzip body can hold a thousand times its size
    int interim = 16;                 // 1xx answers before the real one
};

enum class Parsed : std::uint8_t { more, complete, broken };
enum class Problem : std::uint8_t { none, malformed, too_large, truncated };

// Used by one thread at a time.
class MessageParser {
public:
    // Takes what belongs to this message and says in `used` how much that was. What follows the
    // message is left; what broke it, stays broken.
    Parsed feed(std::string_view bytes, std::size_t& used);
    // The peer closed. Complete only if the end of the connection is the end of the message.
    Parsed end_of_stream();

    [[nodiscard]] bool begun() const noexcept { return begun_; }
    [[nodiscard]] bool head_complete() const noexcept { return head_complete_; }
    // Once complete: whether another message may follow on this connection.
    [[nodiscard]] bool keep_alive() const noexcept;
    // Once broken: what is wrong, for people, and of which kind.
    [[nodiscard]] std::string_view problem() const noexcept { return problem_; }
    [[nodiscard]] Problem kind() const noexcept { return kind_; }

    [[nodiscard]] int minor_version() const noexcept { return minor_; }
    [[nodiscard]] const Headers& headers() const noexcept { return headers_; }
    [[nodiscard]] const Headers& trailers() const noexcept { return trailers_; }
    [[nodiscard]] const std::string& body() const noexcept { return body_; }
    // How long the head was on the wire with its empty line, for those who pass on the bytes; of
    // several heads (1xx), all of them.
    [[nodiscard]] std::size_t head_bytes() const noexcept { return head_bytes_; }

protected:
    enum class Framing : std::uint8_t { none, length, chunked, until_close };
    enum class Following : std::uint8_t { body, another_head };

    explicit MessageParser(Limits limits) : limits_{limits} {}
    MessageParser(MessageParser&&) = default;
    MessageParser& operator=(MessageParser&&) = default;
    ~MessageParser() = default;

    void reset();
    void broken(Problem kind, std::string_view problem) noexcept;
    [[nodiscard]] bool announces_body(Framing framing) const noexcept;
    void close_afterwards() noexcept { close_ = true; }
    // "HTTP/1.x" at the beginning of `text`: x, or -1.
    static int minor_of(std::string_view text) noexcept;

    // The first line, without its end. Calls broken() if it is none.
    virtual void start_line(std::string_view line) = 0;
    // The head has ended: may change the framing that its fields asked for.
    virtual Following head_ended(Framing& framing) = 0;

    Limits limits_;
    int minor_ = 1;
    Headers headers_{};
    Headers trailers_{};
    std::string body_{};

private:
    enum class State : std::uint8_t {
        start,
        field,
        trailer,
        chunk_size,
        body,
        chunk,
        chunk_end,
        until_close,
        complete,
        broken
    };

    void begin_head();
    std::size_t step(std::string_view bytes);
    std::size_t take_line(std::string_view bytes);
    std::size_t take_body(std::string_view bytes);
    std::size_t take_until_close(std::string_view bytes);
    std::size_t take_chunk_end(char byte);
    void line(std::string_view line);
    std::size_t take_plain_fields(std::string_view bytes);
    void field(std::string_view line, Headers& into);
    void note(std::string_view name, std::string_view value);
    void note_plain(std::string_view name, std::string_view value);
    void note_length(std::string_view value);
    void note_coding(std::string_view value);
    void note_connection(std::string_view value);
    void end_head();
    void begin_body(Framing framing);
    void chunk_size(std::string_view line);
    void begin_chunk_line();
    [[nodiscard]] Parsed verdict() const noexcept;

    State state_ = State::start;
    Problem kind_ = Problem::none;
    bool begun_ = false;
    bool head_complete_ = false;
    bool has_length_ = false;
    bool chunked_ = false;
    bool close_ = false;       // Connection: close
    bool keep_alive_ = false;  // Connection: keep-alive
    bool until_close_ = false;
    std::uint8_t chunk_end_ = 0;       // bytes of the CRLF after a chunk that have come
    std::uint64_t left_ = 0;           // of the body or the chunk
    std::size_t room_ = 0;             // what the lines of this part of the message may still take
    std::size_t extensions_left_ = 0;  // and the extensions of all chunks together
    std::size_t head_bytes_ = 0;
    std::string pending_{};  // the beginning of a line whose end has not come
    std::string_view problem_{};
};

}  // namespace http
}  // namespace v0
}  // namespace perdure
