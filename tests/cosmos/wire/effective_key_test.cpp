// SPDX-License-Identifier: Apache-2.0
//
// Does a key hash to where the service puts it?
#include "perdure/cosmos/wire/effective_key.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cosmos/wire/murmur.hpp"

namespace perdure::cosmos {
namespace {

struct Vector {
    PartitionKey key;
    std::string v1;
    std::string v2;
};

std::string times(int count, std::string_view text) {
    std::string made;
    for (int i = 0; i < count; ++i) made += text;
    return made;
}

const std::vector<Vector>& vectors() {
    static const std::vector<Vector> all = {
        {PartitionKey{""}, "05C1CF33970FF80800", "32E9366E637A71B4E710384B2F4970A0"},
        {PartitionKey{"partitionKey"}, "05C1E1B3D9CD2608716273756A756A706F4C667A00",
         "013AEFCF77FA271571CF665A58C933F1"},
        {PartitionKey{"A"}, "05C1ED4B21E306084200", "14F53A0810CE6727EB1CD722D321216F"},
        {PartitionKey{std::string(1024, 'a')}, "05C1EB5921F70608" + times(100, "62") + "00",
         "332BDF5512AE49615F32C7D98C2DB86C"},
        {PartitionKey{nullptr}, "05C1ED45D7475601", "378867E4430E67857ACE5C908374FE16"},
        {PartitionKey::none(), "05C1D529E345DC00", "11622DAA78F835834610ABE56EFF5CB5"},
        {PartitionKey{true}, "05C1D7C5A903D803", "0E711127C5B5A8E4726AC6DD306A3E59"},
        {PartitionKey{false}, "05C1DB857D857C02", "2FE1BE91E90A3439635E0E9E37361EF2"},
        {PartitionKey{5.0}, "05C1D9C1C5517C05C014", "19C08621B135968252FB34B4CF66F811"},
    };
    return all;
}

TEST(EffectiveKey, is_the_one_the_service_makes_in_both_versions) {
    for (const Vector& each : vectors()) {
        SCOPED_TRACE(each.key.header_text().substr(0, 40));
        EXPECT_EQ(effective_key(each.key, KeyKind::hash, KeyVersion::v1), each.v1);
        EXPECT_EQ(effective_key(each.key, KeyKind::hash, KeyVersion::v2), each.v2);
    }
}

std::string hex(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text.append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
    }
    return text;
}

// The Cyrillic alphabet of 33 letters, four times.
std::string cyrillic(std::size_t letters) {
    return times(4, "абвгдеёжзийклмнопрстуфхцчшщъыьэюя").substr(0, 2 * letters);
}

// The heads are those with which Microsoft's clients in Java and .NET test that they agree with the backend.
TEST(EffectiveKey, of_version_1_hashes_100_characters_and_writes_100_bytes_and_one_more) {
    const struct {
        std::size_t letters;
        std::string_view hash;
    } cases[] = {{49, "05C1C1BD37FE"},   {50, "05C1B339EF4720"},  {51, "05C1EB1F29DBFA"},
                 {99, "05C1E72F79C716"}, {100, "05C1E3653D9F3E"}, {101, "05C1E3653D9F3E"}};
    for (const auto& [letters, hash] : cases) {
        std::string text = cyrillic(letters);
        std::string written = text.substr(0, 101);
        for (char& c : written) ++c;
        const std::string closing = text.size() <= 100 ? "00" : "";
        EXPECT_EQ(effective_key(PartitionKey{text}, KeyKind::hash, KeyVersion::v1),
                  std::string{hash} + "08" + hex(written) + closing)
            << letters;
    }
    const std::string whole =
        effective_key(PartitionKey{cyrillic(51)}, KeyKind::hash, KeyVersion::v1);
    EXPECT_EQ(whole.substr(0, 20), "05C1EB1F29DBFA08D1B1");
    EXPECT_EQ(whole.substr(whole.size() - 6), "D1C0D2");
}

TEST(EffectiveKey, of_no_values_is_the_least) {
    EXPECT_EQ(effective_key(PartitionKey{}, KeyKind::hash, KeyVersion::v1), "");
    EXPECT_EQ(effective_key(PartitionKey{}, KeyKind::hash, KeyVersion::v2), "");
    EXPECT_EQ(effective_key(PartitionKey{}, KeyKind::multi_hash, KeyVersion::v2), "");
}

TEST(EffectiveKey, of_a_hierarchical_key_is_that_of_its_values_one_after_the_other) {
    for (const Vector& a : vectors())
        for (const Vector& b : vectors()) {
            PartitionKey key = a.key;
            ASSERT_TRUE(key.add(b.key.parts()[0]));
            EXPECT_EQ(effective_key(key, KeyKind::multi_hash, KeyVersion::v2), a.v2 + b.v2);
        }
    const PartitionKey one{"A"};
    EXPECT_EQ(effective_key(one, KeyKind::multi_hash, KeyVersion::v2),
              effective_key(one, KeyKind::hash, KeyVersion::v2));
}

TEST(EffectiveKey, of_whole_numbers_is_that_of_the_same_doubles) {
    EXPECT_EQ(effective_key(PartitionKey{5}, KeyKind::hash, KeyVersion::v2),
              effective_key(PartitionKey{5.0}, KeyKind::hash, KeyVersion::v2));
    EXPECT_EQ(effective_key(PartitionKey{-0.0}, KeyKind::hash, KeyVersion::v1),
              effective_key(PartitionKey{0}, KeyKind::hash, KeyVersion::v1));
}

TEST(EffectiveKey, lies_within_the_range_of_each_of_its_prefixes_and_outside_of_others) {
    const PartitionKey key{"tenant", "user", 7};
    const std::string whole = effective_key(key, KeyKind::multi_hash, KeyVersion::v2);
    for (const auto& prefix :
         {PartitionKey{}, PartitionKey{"tenant"}, PartitionKey{"tenant", "user"}, key}) {
        const EffectiveRange range = prefix_range(prefix);
        EXPECT_LE(range.min, whole) << prefix.header_text();
        EXPECT_LT(whole, range.max) << prefix.header_text();
    }
    const EffectiveRange other = prefix_range(PartitionKey{"tenant", "somebody"});
    EXPECT_TRUE(whole < other.min || whole >= other.max);
    EXPECT_EQ(prefix_range(PartitionKey{}), (EffectiveRange{.min = "", .max = "FF"}));
}

TEST(EffectiveKey, of_version_1_orders_numbers_as_they_are_ordered) {
    // What follows the hash: 05, the number, in an order that bytes keep.
    const auto ordered = [](double number) {
        const std::string key = effective_key(PartitionKey{number}, KeyKind::hash, KeyVersion::v1);
        return key.substr(key.rfind("05", key.size() - 4));
    };
    const std::vector<double> rising = {-1e300, -5, -1, -0.5, 0, 0.5, 1, 5, 1e300};
    for (const double number : rising) {
        const std::string key = effective_key(PartitionKey{number}, KeyKind::hash, KeyVersion::v1);
        EXPECT_EQ(key.substr(0, 2), "05") << number;
        EXPECT_EQ(key.size() % 2, 0U) << number;
    }
    EXPECT_LT(ordered(1), ordered(5));
}

// Numbers from the public description of the algorithm, by way of its reference programs.
TEST(Murmur, hashes_what_others_hash_for_every_length_of_tail) {
    EXPECT_EQ(murmur3_x86_32(""), 0U);
    EXPECT_EQ(murmur3_x86_32("hello"), 0x248bfa47U);
    EXPECT_EQ(murmur3_x86_32("hello, world"), 0x149bbb7fU);
    EXPECT_EQ(murmur3_x86_32("The quick brown fox jumps over the lazy dog"), 0x2e4ff723U);
    EXPECT_EQ(murmur3_x64_128("").low, 0U);
    EXPECT_EQ(murmur3_x64_128("hello").low, 0xcbd8a7b341bd9b02U);
    EXPECT_EQ(murmur3_x64_128("hello").high, 0x5b1e906a48ae1d19U);
    EXPECT_EQ(murmur3_x64_128("The quick brown fox jumps over the lazy dog").low,
              0xe34bbc7bbc071b6cU);
    EXPECT_EQ(murmur3_x64_128("The quick brown fox jumps over the lazy dog").high,
              0x7a433ca9c49a9347U);
}

}  // namespace
}  // namespace perdure::cosmos
