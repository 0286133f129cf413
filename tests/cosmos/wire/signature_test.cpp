// SPDX-License-Identifier: Apache-2.0
//
// Is a request signed as the service signs it, and does the key stay out of sight?
#include "perdure/cosmos/wire/signature.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace perdure::cosmos {
namespace {

constexpr std::string_view emulator_key =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";
constexpr std::string_view documented_key =
    "dsZQi3KtZmCv1ljt3VNWNm7sQUF1y5rJfC6kv5JiwvW0EndXdDku/dkKBp8/ufDToSxLzR4y+O/0H/t4bQtVNw==";

struct SignatureVector {
    std::string_view key;
    ToSign what;
    std::string_view signature;
};

constexpr std::string_view date = "Fri, 02 Jan 2026 03:04:05 GMT";
const std::vector<SignatureVector> signature_vectors = {
    {emulator_key, {"GET", "", "", date}, "5BsL/Y/l1wHfqOcOUk43rmUgQB+Qn8NwdUwtq3nHdAQ="},
    {emulator_key, {"POST", "dbs", "", date}, "ReXa6reK2sk+zgiXqi7uKAQBb1EqRuGL75vecLhCKFo="},
    {emulator_key,
     {"GET", "colls", "dbs/d1/colls/c1", date},
     "sE2aCpeyDEqP2J5Q3c9YArH6riIOQWe0vGgNsKi387g="},
    {emulator_key,
     {"POST", "docs", "dbs/d1/colls/c1", date},
     "inEanK6HSmjP9OSGQIQMJjbaXCZEHOy1V9n6r6eXxoo="},
    {emulator_key,
     {"GET", "docs", "dbs/d1/colls/c1/docs/Item 1\xc3\xa4", date},
     "SI5AZ4hyUiz/NVyZgU91adkTyjoY/UejcxAUNHWYIng="},
    {documented_key,
     {"GET", "dbs", "dbs/ToDoList", "Thu, 27 Apr 2017 00:51:12 GMT"},
     "c09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu+c+c="},
};

std::string decoded(std::string_view text) {
    std::string made;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') made += text[i];
        else made += static_cast<char>(std::stoi(std::string{text.substr(i + 1, 2)}, nullptr, 16));
        if (text[i] == '%') i += 2;
    }
    return made;
}

std::string authorization(std::string_view key, const ToSign& what) {
    std::string out;
    MasterKey::from(key).value().append_authorization(out, what);
    return out;
}

TEST(Signature, is_the_one_the_service_expects) {
    for (const SignatureVector& each : signature_vectors) {
        const std::string made = authorization(each.key, each.what);
        EXPECT_EQ(decoded(made), "type=master&ver=1.0&sig=" + std::string{each.signature});
        EXPECT_EQ(made.find_first_of("=&+/ "), std::string::npos) << made;
    }
}

TEST(Signature, does_not_depend_on_the_case_of_verb_type_and_date) {
    EXPECT_EQ(
        authorization(emulator_key, {"get", "Docs", "dbs/D", "fri, 02 jan 2026 03:04:05 gmt"}),
        authorization(emulator_key, {"GET", "docs", "dbs/D", date}));
    EXPECT_NE(authorization(emulator_key, {"GET", "docs", "dbs/d", date}),
              authorization(emulator_key, {"GET", "docs", "dbs/D", date}));
}

TEST(Signature, is_appended_to_what_stands_there) {
    std::string out = "authorization: ";
    MasterKey::from(emulator_key).value().append_authorization(out, signature_vectors[0].what);
    EXPECT_TRUE(out.starts_with("authorization: type%3Dmaster%26ver%3D1.0%26sig%3D"));
}

TEST(Signature, comes_out_the_same_in_every_thread_and_from_every_copy) {
    const MasterKey key = MasterKey::from(emulator_key).value();
    std::vector<std::string> made(4);
    std::vector<std::thread> threads;
    for (std::string& out : made)
        threads.emplace_back([&out, key] {
            for (int i = 0; i < 200; ++i) {
                out.clear();
                key.append_authorization(out, signature_vectors[4].what);
            }
        });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& out : made)
        EXPECT_EQ(out, authorization(emulator_key, signature_vectors[4].what));
}

TEST(MasterKey, may_be_of_any_length_and_stand_in_spaces) {
    // The third: longer than a block of the hash.
    for (const std::string_view key :
         {"AA==", "AAECAwQFBgc=",
          "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
          "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
        EXPECT_TRUE(MasterKey::from(key)) << key;
    const std::string spaced = " " + std::string{emulator_key} + "\r\n";
    EXPECT_EQ(authorization(spaced, signature_vectors[1].what),
              authorization(emulator_key, signature_vectors[1].what));
}

TEST(MasterKey, that_is_no_base64_is_refused_without_showing_it) {
    for (const std::string_view key :
         {"", "   ", "c2VjcmV0", "c2VjcmV0LXNlY3JldA", "c2VjcmV0!A==", "====", "A===", "AB=C",
          "c2Vj cmV0", "c2VjcmV0LXNlY3JldB=="}) {
        const auto made = MasterKey::from(key);
        if (key == "c2VjcmV0") {
            EXPECT_TRUE(made);
            continue;
        }
        ASSERT_FALSE(made) << key;
        EXPECT_EQ(made.error().code, "invalid-account-key");
        EXPECT_EQ(made.error().cause, Cause::invalid);
        EXPECT_EQ(to_string(made.error()).find("c2Vj"), std::string::npos);
    }
}

TEST(Signature, of_a_token_is_the_token_percent_encoded) {
    std::string aad, resource;
    append_token_authorization(aad, TokenKind::aad, "eyJ0.a-b_c~/+=");
    EXPECT_EQ(aad, "type%3Daad%26ver%3D1.0%26sig%3DeyJ0.a-b_c~%2F%2B%3D");
    append_token_authorization(resource, TokenKind::resource, "type=resource&ver=1&sig=ab/c==;x");
    EXPECT_EQ(resource, "type%3Dresource%26ver%3D1%26sig%3Dab%2Fc%3D%3D%3Bx");
    std::string hostile;
    append_token_authorization(hostile, TokenKind::aad, "a\r\nx-evil: 1");
    EXPECT_EQ(hostile.find_first_of("\r\n"), std::string::npos);
}

TEST(Signature, has_a_date_that_servers_read) {
    using namespace std::chrono;
    std::string out;
    append_date(out, WallTime{sys_days{2026y / January / 2} + 3h + 4min + 5s + 999ms});
    EXPECT_EQ(out, date);
}

}  // namespace
}  // namespace perdure::cosmos
