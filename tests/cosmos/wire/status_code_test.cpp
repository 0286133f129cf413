// SPDX-License-Identifier: Apache-2.0
//
// Does a pair of status and substatus survive being packed, printed and read?
#include "perdure/cosmos/wire/status_code.hpp"

#include <gtest/gtest.h>

namespace perdure::cosmos {
namespace {

static_assert(StatusCode{403, 3}.packed() == (403U << 16U | 3U));
static_assert(StatusCode::from_packed(404U << 16U | 1002U) == StatusCode{404, 1002});
static_assert(StatusCode{404, 1002} != StatusCode{410, 1002});
static_assert(StatusCode{404} < StatusCode{404, 1002} && StatusCode{404, 1002} < StatusCode{408});

TEST(StatusCode, is_printed_and_read_in_the_notation_of_the_documentation) {
    for (const StatusCode code : {StatusCode{403, 3}, StatusCode{404, 1002}, StatusCode{503, 21006},
                                  StatusCode{429}, StatusCode{999, largest_substatus}})
        EXPECT_EQ(parse_status_code(to_string(code)), code) << to_string(code);
    EXPECT_EQ(to_string(StatusCode{403, 3}), "403/3");
    EXPECT_EQ(to_string(StatusCode{503}), "503");
    EXPECT_EQ(parse_status_code("404/0"), StatusCode{404});
}

TEST(StatusCode, is_not_read_out_of_anything_else) {
    for (const char* const text :
         {"", "/", "403/", "/3", "40", "1000", "-403", "403/-3", "403/x", "x", "403/3/1", " 403",
          "403/65536", "403/99999999999999999999", "4e2"})
        EXPECT_EQ(parse_status_code(text), std::nullopt) << text;
}

TEST(StatusCode, takes_the_substatus_from_its_header_if_it_is_a_number) {
    const struct {
        const char* header;
        int substatus;
    } cases[] = {{"1002", 1002}, {"0", 0},     {"", 0},   {"abc", 0},
                 {"-1", 0},      {"70000", 0}, {"3 ", 0}, {"99999999999999999999", 0}};
    for (const auto& [header, substatus] : cases) {
        http::Headers headers;
        headers.add("X-MS-Substatus", header);
        EXPECT_EQ(status_code_of(404, headers), (StatusCode{404, substatus})) << header;
    }
    EXPECT_EQ(status_code_of(404, {}), StatusCode{404});
}

}  // namespace
}  // namespace perdure::cosmos
