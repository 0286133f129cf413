// SPDX-License-Identifier: Apache-2.0
//
// Bytes are the value of x-ms-session-token. What is read must survive being written, and merging must
// never lose progress.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "perdure/cosmos/wire/session_token.hpp"

namespace {

using namespace perdure;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "it is not so that %s\n", what);
    std::abort();
}

void try_merging(const cosmos::SessionToken& a, const cosmos::SessionToken& b) {
    cosmos::SessionToken both = a, other_way = b;
    both.merge(b);
    other_way.merge(a);
    must(both == other_way, "the order of merging does not matter");
    must(!a.ahead_of(both) && !b.ahead_of(both), "a merged token has seen all that both have");
    must(b.ahead_of(a) == (both != a), "only what is ahead changes another");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view value{reinterpret_cast<const char*>(data), size};
    const auto read = cosmos::parse_session_header(value);
    if (!read) return 0;
    std::string written;
    for (const auto& [range, token] : *read) {
        must(token.regions().size() <= cosmos::SessionToken::most_regions, "regions are bounded");
        must(range.find_first_of(",: \r\n") == range.npos, "a range is one word");
        cosmos::append_session_header(written, range, token);
    }
    const auto again = cosmos::parse_session_header(written);
    must(again && *again == *read, "what was written is read as the same");
    for (const auto& a : *read) try_merging(a.token, read->front().token);
    return 0;
}
