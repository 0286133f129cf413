// SPDX-License-Identifier: Apache-2.0
#include "dynamodb/checksum.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace perdure::dynamodb {
namespace {

std::uint32_t bit_by_bit(std::string_view bytes) {
    std::uint32_t crc = 0xFFFF'FFFFU;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0xEDB8'8320U : 0U);
    }
    return ~crc;
}

TEST(Checksum, counts_as_the_service_does) {
    EXPECT_EQ(crc32(""), 0U);
    EXPECT_EQ(crc32({}), 0U);
    EXPECT_EQ(crc32("{}"), 2745614147U);
    EXPECT_EQ(crc32(R"({"TableNames":[]})"), 1315925753U);
    EXPECT_EQ(crc32(R"({"Item":{"pk":{"S":"o#1"}}})"), 3928434108U);
}

TEST(Checksum, counts_texts_of_any_length_from_any_place_as_bit_by_bit) {
    std::minstd_rand random{7};  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same bytes every time
    std::string text(100'000, 0);
    for (char& c : text) c = static_cast<char>(random() >> 8U);
    for (std::size_t size = 0; size < 300; ++size) {
        const std::string_view part = std::string_view{text}.substr(size % 17, size);
        EXPECT_EQ(crc32(part), bit_by_bit(part)) << size;
    }
    EXPECT_EQ(crc32(text), bit_by_bit(text));
    EXPECT_EQ(crc32(std::string(4096, 0)), bit_by_bit(std::string(4096, 0)));
}

TEST(Checksum, compares_the_body_with_what_the_header_says) {
    EXPECT_EQ(verified("2745614147", "{}"), Checksum::right);
    EXPECT_EQ(verified("0", ""), Checksum::right);
    EXPECT_EQ(verified("2745614146", "{}"), Checksum::wrong);
    EXPECT_EQ(verified("2745614147", "{} "), Checksum::wrong);
    EXPECT_EQ(verified("2745614147", ""), Checksum::wrong);
    EXPECT_EQ(verified("4294967295", "{}"), Checksum::wrong);
}

TEST(Checksum, says_nothing_where_the_header_is_missing_or_is_no_number) {
    EXPECT_EQ(verified(std::nullopt, "{}"), Checksum::not_given);
    for (const char* const header : {"", " ", "-1", "+2745614147", "0x1", "a3a6bf43", "4294967296",
                                     "99999999999999999999", "2745614147 ", "2745614147, 5", "1.0"})
        EXPECT_EQ(verified(header, "{}"), Checksum::not_given) << header;
}

}  // namespace
}  // namespace perdure::dynamodb
