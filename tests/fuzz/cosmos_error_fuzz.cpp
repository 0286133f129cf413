// SPDX-License-Identifier: Apache-2.0
//
// Bytes are the body of an error, or the answer to a batch. Whatever comes, words are short and plain.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "perdure/cosmos/wire/batch_reply.hpp"
#include "perdure/cosmos/wire/service_error.hpp"

namespace {

using namespace perdure;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "it is not so that %s\n", what);
    std::abort();
}

bool is_plain(std::string_view text) {
    return std::ranges::none_of(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view body{reinterpret_cast<const char*>(data), size};
    const cosmos::ServiceError error = cosmos::parse_error(body);
    must(error.code.size() <= 128 && is_plain(error.code), "a code is short and plain");
    must(error.message.size() <= cosmos::longest_error_message && is_plain(error.message),
         "a message is short and plain");
    (void)cosmos::looks_like_header_too_large(400, body);
    const auto results = cosmos::parse_batch_reply(body);
    if (!results) return 0;
    must(results->size() <= 100, "results are bounded");
    for (const auto& result : *results)
        must(result.status >= 100 && result.status <= 999 && is_plain(result.message),
             "a result has a status and plain words");
    return 0;
}
