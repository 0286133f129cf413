// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/signature.hpp"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

#include "dynamodb/sha256.hpp"
#include "dynamodb/signing_key.hpp"
#include "dynamodb/vectors.hpp"

namespace perdure::dynamodb {
namespace {

const Keys example{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"};
constexpr std::string_view get_item =
    R"({"TableName":"orders","Key":{"pk":{"S":"o#1"}},"ConsistentRead":true})";
constexpr std::string_view get_item_target = "DynamoDB_20120810.GetItem";

std::string hex(const Digest& digest) {
    std::string text;
    append_hex(text, digest);
    return text;
}

std::string headers_of(const Signer& signer, const Keys& keys, WallTime at, const ToSign& what) {
    std::string out;
    signer.append_headers(out, keys, at, what);
    return out;
}

TEST(Sha256, and_hmac_agree_with_the_published_values) {
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex("abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    // RFC 4231, cases 1, 2 and 6: a short key, a word, a key longer than a block.
    EXPECT_EQ(hex(HmacKey{std::string(20, '\x0b')}.sign("Hi There")),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(hex(HmacKey{"Jefe"}.sign("what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(hex(HmacKey{std::string(131, '\xaa')}.sign(
                  "Test Using Larger Than Block-Size Key - Hash Key First")),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Signature, derives_the_keys_of_both_worked_examples_step_by_step) {
    const struct {
        const char *day, *region;
        std::array<const char*, 4> keys;
    } cases[] = {
        {"20260102",
         "us-east-1",
         {"4a94b7301bf76bc4db30e0c4fffd8434ec90b24fbe8ece2d7b3edb20adc3beb1",
          "c03bbff058855983bc2f24106a6048a046854884abfae2560ef7bcd6d9296e36",
          "aaf89c94c1e69132755c45cda847fdefa4b1ba1a1c7e6d65f95c795526a86d18",
          "eeb8fc37e23864c9823bc2ef552543821f27b09674f82435c43ac176dfba2996"}},
        {"20261231",
         "eu-west-1",
         {"0f4d51b17ff3aae0aa37a745d5d63bb29ef5f81c1a1340009825d71722998876",
          "a1734accc7200440db652136bc5dabbeab3d71c8bfd0c1707b9725a3928c5e03",
          "cf6daf22af8710067cf612a5705a7a0bd5751953116b136b8cd3313e899a2b4d",
          "31522e7a732e5cf701605b3448bea5e4fcbee1388e737de315ab0990d8e6966a"}},
    };
    for (const auto& [day, region, keys] : cases) {
        const auto made = signing_steps(example.secret, day, region, "dynamodb");
        for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(hex(made[i]), keys[i]) << i;
    }
}

TEST(Signature, of_long_term_keys_is_that_of_worked_example_a) {
    const std::string hash = sha256_hex(get_item);
    EXPECT_EQ(hash, "47cfe815ff218be0eda9b934684ae7589f4221b6227cc85bf62f9e76741f7f39");
    const http::Header headers[] = {{"X-Amz-Target", get_item_target},
                                    {"Host", "dynamodb.us-east-1.amazonaws.com"},
                                    {"X-Amz-Date", "20260102T030405Z"},
                                    {"Content-Type", "application/x-amz-json-1.0"}};
    const std::string canonical = canonical_request({.headers = headers, .body_hash = hash});
    EXPECT_EQ(canonical.size(), 260U);
    EXPECT_EQ(sha256_hex(canonical),
              "c46e3a03a7944fed76fb37b803420e25680191730907c3588fb77dbcb0b793a4");
    const SigningScope scope{.at = moment(2026, 1, 2, 3, 4, 5), .region = "us-east-1"};
    EXPECT_EQ(string_to_sign(scope, canonical).size(), 139U);

    EXPECT_EQ(headers_of(Signer{"us-east-1"}, example, scope.at,
                         {.host = "dynamodb.us-east-1.amazonaws.com",
                          .target = get_item_target,
                          .body = get_item}),
              "Content-Type: application/x-amz-json-1.0\r\n"
              "X-Amz-Date: 20260102T030405Z\r\n"
              "X-Amz-Target: DynamoDB_20120810.GetItem\r\n"
              "Authorization: AWS4-HMAC-SHA256 "
              "Credential=AKIDEXAMPLE/20260102/us-east-1/dynamodb/aws4_request, "
              "SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
              "Signature=fad93320ba532aa5a3bccfe045378667b21b71058703d7056d3ab510bd6eacc1\r\n");
}

TEST(Signature, of_a_session_is_that_of_worked_example_b) {
    Keys session = example;
    session.token = "SESSIONTOKEN/abc+def==";
    const http::Header headers[] = {
        {"Host", "localhost:8000"},
        {"Content-Type", "application/x-amz-json-1.0"},
        {"X-Amz-Date", "20261231T235959Z"},
        {"X-Amz-Target", get_item_target},
        {"X-Amz-Security-Token", session.token},
        {"amz-sdk-request", "attempt=2; max=4"},
        {"amz-sdk-invocation-id", "11111111-2222-4333-8444-555555555555"}};
    const std::string canonical =
        canonical_request({.headers = headers, .body_hash = sha256_hex(get_item)});
    EXPECT_EQ(canonical.size(), 437U);
    EXPECT_EQ(sha256_hex(canonical),
              "e4c1b227623efc5dae7bfaa8a0c8a5cf9a52c53a4549d7f0672f23dd0c365b33");

    EXPECT_EQ(headers_of(Signer{"eu-west-1"}, session, moment(2026, 12, 31, 23, 59, 59),
                         {.host = "localhost:8000",
                          .target = get_item_target,
                          .invocation_id = "11111111-2222-4333-8444-555555555555",
                          .attempt = "attempt=2; max=4",
                          .body = get_item}),
              "Content-Type: application/x-amz-json-1.0\r\n"
              "X-Amz-Date: 20261231T235959Z\r\n"
              "X-Amz-Target: DynamoDB_20120810.GetItem\r\n"
              "X-Amz-Security-Token: SESSIONTOKEN/abc+def==\r\n"
              "amz-sdk-invocation-id: 11111111-2222-4333-8444-555555555555\r\n"
              "amz-sdk-request: attempt=2; max=4\r\n"
              "Authorization: AWS4-HMAC-SHA256 "
              "Credential=AKIDEXAMPLE/20261231/eu-west-1/dynamodb/aws4_request, "
              "SignedHeaders=amz-sdk-invocation-id;amz-sdk-request;content-type;host;x-amz-date;"
              "x-amz-security-token;x-amz-target, "
              "Signature=90afd3b9e6b537c3ed3efa7372dc7fefa1e9f44050f968e5b9d41bebf17391b0\r\n");
}

// Reads the lines that were sent, as a server would, and signs them by the general form.
std::string by_the_general_form(std::string_view lines, const Keys& keys, const SigningScope& scope,
                                const ToSign& what) {
    std::vector<http::Header> headers{{"Host", what.host}};
    for (std::size_t end = 0; (end = lines.find("\r\n")) != std::string_view::npos;) {
        const std::string_view line = lines.substr(0, end);
        const auto colon = line.find(": ");
        if (!line.starts_with("Authorization"))
            headers.push_back({line.substr(0, colon), line.substr(colon + 2)});
        lines.remove_prefix(end + 2);
    }
    const std::string canonical =
        canonical_request({.headers = headers, .body_hash = sha256_hex(what.body)});
    return authorization(keys, scope, headers,
                         signature(keys, scope, string_to_sign(scope, canonical)));
}

TEST(Signature, made_fast_is_the_one_made_step_by_step_whatever_is_signed) {
    constexpr std::uint64_t seed = 20261116;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random{seed};
    const auto some = [&](std::size_t most) {
        std::string text(random() % (most + 1), ' ');
        for (char& byte : text) byte = static_cast<char>('!' + random() % 94);
        return text;
    };
    const Signer signer{"eu-west-1"};
    std::string out = "Host: x\r\n";
    for (int i = 0; i < 500; ++i) {
        const std::string host = "h" + some(60), target = "t" + some(40), id = some(36);
        const std::string attempt = some(1).empty() ? "" : "attempt=1; max=4", body = some(2000);
        const Keys keys{"id" + std::to_string(random() % 3), "s" + some(90),
                        random() % 2 == 0 ? "" : some(1500)};
        const WallTime at{std::chrono::seconds{random() % 4000000000}};
        const ToSign what{host, target, id, attempt, body};
        out.resize(9);
        signer.append_headers(out, keys, at, what);
        EXPECT_TRUE(out.starts_with("Host: x\r\nContent-Type"));
        const std::string lines = out.substr(9);
        const SigningScope scope{.at = at, .region = "eu-west-1"};
        EXPECT_TRUE(lines.ends_with(
            "Authorization: " + by_the_general_form(lines, keys, scope, what) + "\r\n"))
            << lines;
    }
}

TEST(Signature, never_comes_from_the_key_of_another_pair_another_day_or_another_secret) {
    const Keys pairs[] = {{"A", "one"}, {"B", "two"}, {"A", "two"}, {"A", "one", "token"}};
    const WallTime days[] = {moment(2026, 1, 1), moment(2026, 1, 2), moment(2027, 1, 1)};
    const ToSign what{.host = "h", .target = "t", .body = "{}"};
    const Signer shared{"r"};
    for (int round = 0; round < 3; ++round)
        for (const Keys& keys : pairs)
            for (const WallTime day : days)
                EXPECT_EQ(headers_of(shared, keys, day, what),
                          headers_of(Signer{"r"}, keys, day, what));
}

TEST(Signature, takes_the_key_of_the_new_day_at_midnight) {
    const Signer signer{"r"};
    const ToSign what{.host = "h", .target = "t", .body = "{}"};
    const WallTime midnight = moment(2027, 1, 1);
    const std::string before = headers_of(signer, example, midnight - 1ns, what);
    const std::string after = headers_of(signer, example, midnight, what);
    EXPECT_NE(before.find("X-Amz-Date: 20261231T235959Z"), std::string::npos);
    EXPECT_NE(before.find("/20261231/r/"), std::string::npos);
    EXPECT_NE(after.find("X-Amz-Date: 20270101T000000Z"), std::string::npos);
    EXPECT_NE(after.find("/20270101/r/"), std::string::npos);
    EXPECT_EQ(after, headers_of(Signer{"r"}, example, midnight, what));
    // A clock that is set back finds the old day's key again.
    EXPECT_EQ(headers_of(signer, example, midnight - 1ns, what), before);
}

TEST(Signature, is_right_when_threads_with_different_keys_share_a_signer) {
    const Keys pairs[] = {{"A", "one"}, {"B", "two", "token"}};
    const ToSign what{.host = "h", .target = "t", .body = "{}"};
    const WallTime midnight = moment(2027, 1, 1);
    const Signer shared{"r"};
    std::vector<std::thread> threads;
    std::array<int, 2> wrong{};
    for (std::size_t i = 0; i < wrong.size(); ++i)
        threads.emplace_back([&, i] {
            const std::string expected[] = {headers_of(Signer{"r"}, pairs[i], midnight - 1s, what),
                                            headers_of(Signer{"r"}, pairs[i], midnight, what)};
            for (int n = 0; n < 2000; ++n) {
                const bool today = n % 16 < 8;
                const WallTime at = today ? midnight - 1s : midnight;
                if (headers_of(shared, pairs[i], at, what) != expected[today ? 0 : 1]) ++wrong[i];
            }
        });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, (std::array<int, 2>{}));
}

TEST(Signature, is_refused_for_keys_that_would_spoil_a_header_and_never_shows_them) {
    EXPECT_TRUE(check(example));
    EXPECT_TRUE(check({"any-id_1", "s", "t/+="}));
    const struct {
        Keys keys;
        const char* word;
    } cases[] = {
        {{}, "id is empty"},
        {{"", "hush"}, "id is empty"},
        {{"whisper", ""}, "secret access key is empty"},
        {{"whisper\r\nX: y", "hush"}, "access key id has"},
        {{"whis per", "hush"}, "access key id has"},
        {{"whisper\x7f", "hush"}, "access key id has"},
        {{"whisper\xc3\xa9", "hush"}, "access key id has"},
        {{"whisper/x", "hush"}, "slash"},
        {{"whisper,x", "hush"}, "comma"},
        {{"whisper", "hush\n"}, "secret access key has"},
        {{"whisper", " hush"}, "secret access key has"},
        {{"whisper", "hush", "murmur\r\n"}, "session token has"},
        {{"whisper", "hush", std::string("mur\0mur", 7)}, "session token has"},
    };
    for (const auto& [keys, word] : cases) {
        const auto checked = check(keys);
        ASSERT_FALSE(checked) << word;
        EXPECT_EQ(checked.error().cause, Cause::invalid);
        EXPECT_EQ(checked.error().code, "invalid-keys");
        const std::string said = to_string(checked.error());
        EXPECT_NE(said.find(word), std::string::npos) << said;
        for (const char* const secret : {"hush", "whisper", "murmur"})
            EXPECT_EQ(said.find(secret), std::string::npos) << said;
    }
}

TEST(Signature, writes_the_date_of_every_moment) {
    EXPECT_EQ(amz_date(moment(2015, 8, 30, 12, 36)), "20150830T123600Z");
    EXPECT_EQ(amz_date(moment(2024, 2, 29, 23, 59, 59) + 999ms), "20240229T235959Z");
    EXPECT_EQ(amz_date(WallTime{} - 1ns), "19691231T235959Z");
    EXPECT_EQ(amz_date(WallTime::max()), "22620411T234716Z");
}

}  // namespace
}  // namespace perdure::dynamodb
