// SPDX-License-Identifier: Apache-2.0
#include "load/target/dynamodb_url.hpp"

#include <algorithm>
#include <utility>

#include "load/target/target_url.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

constexpr std::string_view scheme = "dynamodb:";
constexpr std::size_t shortest_table = 3;
constexpr std::size_t longest_table = 255;

bool is_table_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

Result<void> set(DynamoUrl& url, std::string_view name, std::string value) {
    std::string* const into = name == "region"     ? &url.region
                              : name == "endpoint" ? &url.endpoint
                              : name == "profile"  ? &url.profile
                                                   : nullptr;
    if (into) return set_once(*into, name, std::move(value));
    return wrong_target("dynamodb:// takes region, endpoint and profile, not '" +
                        std::string{name} + "'");
}

}  // namespace

bool is_dynamodb_url(std::string_view url) noexcept { return url.starts_with(scheme); }

Result<DynamoUrl> parse_dynamodb_url(std::string_view url) {
    if (!url.starts_with("dynamodb://"))
        return wrong_target("a table of DynamoDB is written dynamodb://TABLE?region=REGION");
    std::string_view rest = url.substr(std::string_view{"dynamodb://"}.size());
    const std::size_t question = std::min(rest.find('?'), rest.size());
    std::string_view table = rest.substr(0, question);
    if (table.ends_with('/')) table.remove_suffix(1);
    if (table.find('@') != std::string_view::npos)
        return wrong_target("keys do not belong into the target's URL: they are taken from the "
                            "environment or a profile");
    DynamoUrl made;
    if (question < rest.size())
        PERDURE_TRY(each_parameter(rest.substr(question + 1),
                                   [&](std::string_view name, std::string value) {
                                       return set(made, name, std::move(value));
                                   }));
    if (!table.empty() && (table.size() < shortest_table || table.size() > longest_table ||
                           !std::ranges::all_of(table, is_table_letter)))
        return wrong_target(
            "a table of DynamoDB has a name of 3 to 255 letters, digits, '_', '-' and '.'");
    made.table = table;
    return made;
}

}  // namespace tool::load
