// SPDX-License-Identifier: Apache-2.0
//
// Bytes from the network, in one piece and in many, read as a response and as a request: the same
// every time; what is accepted means the same when it is written again; and http-parser, where it is
// there, accepts what we accept and sees the same message.
#include "../http/readings.hpp"
#include "perdure/http/gzip.hpp"
#include "perdure/http/response_writer.hpp"
#include "perdure/http/url.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace perdure;
using namespace perdure::testing;
using http::Answering;
using http::Parsed;

constexpr http::Limits small{.head = 512, .headers = 8, .body = 256, .interim = 3};

void promise(bool kept, const char* what) {
    if (kept) return;
    std::fprintf(stderr, "it is not so that %s\n", what);
    std::abort();
}

void write_again(std::string_view bytes) {
    http::ResponseParser parser;
    std::size_t used = 0;
    Parsed parsed = parser.feed(bytes, used);
    if (parsed == Parsed::more) parsed = parser.end_of_stream();
    if (parsed != Parsed::complete) return;
    const http::Response first = parser.take();
    std::string again;
    http::append_response(again, first);
    parser.expect(Answering::with_body);
    promise(parser.feed(again, used) == Parsed::complete, "what we write, we read");
    promise(used == again.size(), "it ends where we ended");
    const http::Response second = parser.take();
    promise(first.status == second.status && first.reason == second.reason, "the line is the same");
    promise(first.body == second.body, "the body is the same");
    for (const auto& [name, value] : first.headers)
        if (!http::same_name(name, "content-length") && !http::same_name(name, "transfer-encoding"))
            promise(second.headers.find(name).has_value(), "no field is lost");
}

#if defined(PERDURE_HTTP_PARSER)
void compare(const Reading& ours, const Reading& theirs) {
    promise(theirs.parsed == Parsed::complete, "http-parser accepts what we accept");
    promise(ours.status == theirs.status, "the status is the same");
    promise(ours.body == theirs.body, "the body is the same there");
    promise(ours.end == theirs.end, "the message ends at the same byte");
}

// It takes a field for another whose name only begins like it.
bool has_longer(std::string_view bytes, std::string_view name) {
    for (std::size_t at = 0; at + name.size() < bytes.size(); ++at)
        if (http::same_name(bytes.substr(at, name.size()), name) && bytes[at + name.size()] != ':')
            return true;
    return false;
}

// Where we are right and it is not; see also messages.hpp.
bool differs_by_intent(std::string_view bytes, const Reading& ours) {
    if (ours.status == 204 || ours.status == 304) return true;
    return bytes.find('\t') != std::string_view::npos || has_longer(bytes, "content-length") ||
           has_longer(bytes, "transfer-encoding");
}
#endif

void read(std::string_view bytes, Answering to, std::size_t piece) {
    for (const http::Limits& limits : {http::Limits{}, small}) {
        const Reading whole = read_response(bytes, to, std::string_view::npos, limits);
        promise(whole == read_response(bytes, to, piece, limits),
                "a response is one in pieces too");
        promise(read_request(bytes, std::string_view::npos, limits) ==
                    read_request(bytes, piece, limits),
                "a request is one in pieces too");
    }
#if defined(PERDURE_HTTP_PARSER)
    const Reading ours = read_response(bytes, to);
    if (ours.parsed == Parsed::complete && to != Answering::connect &&
        !differs_by_intent(bytes, ours)) {
        OtherParser other{HTTP_RESPONSE, to};
        compare(ours, other.read(bytes));
    }
    const Reading asked = read_request(bytes);
    OtherParser other{HTTP_REQUEST, Answering::with_body};  // a request has its body in any case
    const Reading theirs = other.read(bytes);
    // It knows fewer methods and fewer targets.
    if (asked.parsed == Parsed::complete && theirs.parsed == Parsed::complete)
        compare(asked, theirs);
#endif
}

// In steps of `most` bytes it is the same as at once.
void unpack(std::string_view bytes, std::size_t most) {
    constexpr std::size_t limit = 4096;
    const auto whole = http::gunzip(bytes, limit);
    http::Inflater inflater{http::Compression::gzip, limit};
    std::string out;
    bool good = true;
    for (bool more = true; good && more;) {
        const auto did = inflater.feed_some(bytes, out, most);
        good = did.has_value();
        if (!good) break;
        promise(did->used > 0 || did->more || bytes.empty(), "a step gets on");
        bytes.remove_prefix(did->used);
        more = did->more;
    }
    good = good && inflater.finish();
    promise(good == whole.has_value(), "steps and the whole agree");
    promise(!good || out == *whole, "steps give what the whole gives");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::string_view bytes{reinterpret_cast<const char*>(data + 2), size - 2};
    read(bytes, static_cast<Answering>(data[0] % 3), 1 + data[1] % 32U);
    write_again(bytes);
    unpack(bytes, 1 + data[0]);
    const http::Url base{.host = "h", .target = "/a/b?c"};
    if (const auto url = http::resolve(base, bytes)) {
        const auto again = http::parse_url(to_string(*url));
        promise(again.has_value() && to_string(*again) == to_string(*url),
                "a URL we print, we read");
    }
    return 0;
}
