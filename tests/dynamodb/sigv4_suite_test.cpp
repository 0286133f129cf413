// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <simdjson.h>

#include "dynamodb/vectors.hpp"
#include "perdure/dynamodb/signature.hpp"

namespace perdure::dynamodb {
namespace {

namespace fs = std::filesystem;

// One case of the suite: what is to be signed, and by whom.
struct Case {
    std::string method{}, path{}, query{}, body{};
    std::vector<std::pair<std::string, std::string>> headers{};
    Keys keys{};
    std::string region{}, service{};
    WallTime at{};
    PathForm path_form = PathForm::normalized;
};

std::string text(const simdjson::dom::element& object, std::string_view name) {
    return std::string{std::string_view{object[name]}};
}

bool flag(const simdjson::dom::element& object, std::string_view name) {
    bool value = false;
    return object[name].get(value) == simdjson::SUCCESS && value;
}

void read_request(std::string_view request, Case& it) {
    const auto line = [&request] {
        const auto end = std::min(request.find('\n'), request.size());
        const auto first = request.substr(0, end);
        request.remove_prefix(std::min(end + 1, request.size()));
        return std::string{first};
    };
    const std::string first = line();
    it.method = first.substr(0, first.find(' '));
    const std::string target =
        first.substr(it.method.size() + 1, first.rfind(" HTTP/") - it.method.size() - 1);
    const auto question = target.find('?');
    it.path = target.substr(0, question);
    if (question != std::string::npos) it.query = target.substr(question + 1);
    while (!request.empty()) {
        const std::string field = line();
        if (field.empty()) break;
        if (field.front() == ' ') it.headers.back().second += "\r\n" + field;
        else
            it.headers.emplace_back(field.substr(0, field.find(':')),
                                    field.substr(field.find(':') + 1));
    }
    it.body = request;
}

Case read_case(const fs::path& folder) {
    Case it;
    read_request(contents(folder / "request.txt"), it);
    simdjson::dom::parser parser;
    const simdjson::dom::element context = parser.load((folder / "context.json").string());
    const simdjson::dom::element credentials = context["credentials"];
    it.keys = {text(credentials, "access_key_id"), text(credentials, "secret_access_key")};
    it.region = text(context, "region");
    it.service = text(context, "service");
    it.at = moment(text(context, "timestamp"));
    if (!flag(context, "normalize")) it.path_form = PathForm::as_written;
    it.headers.emplace_back("X-Amz-Date", amz_date(it.at));
    std::string_view token;
    if (credentials["token"].get(token) == simdjson::SUCCESS &&
        !flag(context, "omit_session_token"))
        it.headers.emplace_back("X-Amz-Security-Token", token);
    if (flag(context, "sign_body"))
        it.headers.emplace_back("X-Amz-Content-Sha256", sha256_hex(it.body));
    return it;
}

std::string expected(const fs::path& folder, const char* file) {
    std::string content = contents(folder / file);
    while (content.ends_with('\n')) content.pop_back();
    return content;
}

void expect_signed_as_there(const fs::path& folder) {
    const Case it = read_case(folder);
    std::vector<http::Header> headers;
    for (const auto& [name, value] : it.headers) headers.push_back({name, value});
    const SigningScope scope{.at = it.at, .region = it.region, .service = it.service};
    const std::string canonical = canonical_request({.method = it.method,
                                                     .path = it.path,
                                                     .query = it.query,
                                                     .headers = headers,
                                                     .body_hash = sha256_hex(it.body),
                                                     .path_form = it.path_form});
    EXPECT_EQ(canonical, expected(folder, "header-canonical-request.txt"));
    const std::string to_sign = string_to_sign(scope, canonical);
    EXPECT_EQ(to_sign, expected(folder, "header-string-to-sign.txt"));
    const std::string made = signature(it.keys, scope, to_sign);
    EXPECT_EQ(made, expected(folder, "header-signature.txt"));
    const std::string value = authorization(it.keys, scope, headers, made);
    EXPECT_NE(contents(folder / "header-signed-request.txt").find("Authorization:" + value),
              std::string::npos)
        << value;
}

TEST(Sigv4Suite, signs_all_38_published_cases_byte_by_byte) {
    const fs::path suite = vectors("sigv4");
    if (!fs::is_directory(suite)) GTEST_SKIP() << "no SigV4 vectors at " << suite;
    int count = 0;
    for (const auto& entry : fs::directory_iterator{suite}) {
        if (!entry.is_directory()) continue;
        SCOPED_TRACE(entry.path().filename());
        expect_signed_as_there(entry.path());
        ++count;
    }
    EXPECT_EQ(count, 38);
}

}  // namespace
}  // namespace perdure::dynamodb
