// SPDX-License-Identifier: Apache-2.0
//
// Where both accept, both mean the same; what we accept, the other accepts too, but for what the
// table calls `alone`. So nobody in front of or behind us can be made to see another message.
#include "messages.hpp"
#include "readings.hpp"

#include <gtest/gtest.h>

namespace {

using namespace perdure::testing;
using perdure::http::Answering;
using perdure::http::Parsed;

#if defined(PERDURE_HTTP_PARSER)
void expect_same(const Message& message, const Reading& ours, const Reading& theirs) {
    if (ours.parsed != Parsed::complete) return;
    ASSERT_EQ(theirs.parsed == Parsed::complete, message.verdict == ParseVerdict::good);
    if (theirs.parsed != Parsed::complete) return;
    EXPECT_EQ(ours.status, theirs.status);
    EXPECT_EQ(ours.body, theirs.body);
    EXPECT_EQ(ours.end, theirs.end);
}

TEST(OtherParser, reads_the_same_responses) {
    for (const Message& message : responses()) {
        // It has no word for a tunnel.
        if (message.to == Answering::connect) continue;
        SCOPED_TRACE(message.name);
        OtherParser other{HTTP_RESPONSE, message.to};
        expect_same(message, read_response(message.bytes, message.to), other.read(message.bytes));
    }
}

TEST(OtherParser, reads_the_same_requests) {
    for (const Message& message : requests()) {
        SCOPED_TRACE(message.name);
        OtherParser other{HTTP_REQUEST, message.to};
        expect_same(message, read_request(message.bytes), other.read(message.bytes));
    }
}
#else
TEST(OtherParser, reads_the_same_responses) {
    GTEST_SKIP() << "http_parser.h was not found (Debian: libhttp-parser-dev)";
}
#endif

}  // namespace
