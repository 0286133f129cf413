// SPDX-License-Identifier: Apache-2.0
#include "load/target/cosmos/cosmos_access.hpp"

#include <unistd.h>

#include <string_view>

#include "load/target/invalid_load.hpp"
#include "load/target/target_url.hpp"
#include "perdure/cosmos/wire/connection_string.hpp"
#include "perdure/http/url.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

// Not getenv, which is not safe beside threads.
Variables variables_of_process() {
    Variables found;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view one{*entry};
        const std::size_t equals = one.find('=');
        if (equals != std::string_view::npos && one.starts_with("COSMOS_"))
            found.emplace(one.substr(0, equals), one.substr(equals + 1));
    }
    return found;
}

Result<CosmosAccess> find_cosmos_access(const CosmosUrl& url, const Variables& variables) {
    const auto value = [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::string{} : found->second;
    };
    CosmosAccess access{.endpoint = url.endpoint, .key = value("COSMOS_KEY")};
    const std::string text = value("COSMOS_CONNECTION_STRING");
    if (!access.key.empty() && !access.endpoint.empty()) return access;
    if (text.empty() && access.endpoint.empty() && !access.key.empty())
        return wrong_target("the URL names no account: cosmos://HOST/DATABASE/CONTAINER");
    if (text.empty())
        return fail(invalid_load("no-credentials",
                                 "the account's key is missing: set COSMOS_KEY or "
                                 "COSMOS_CONNECTION_STRING"));
    PERDURE_TRY_VALUE(const cosmos::ConnectionString account,
                      cosmos::parse_connection_string(text));
    if (!account.endpoint.secure() && !is_this_machine(account.endpoint.host))
        return wrong_target(
            "the account of COSMOS_CONNECTION_STRING is reached without encryption; "
            "that is for servers on this machine");
    if (!access.endpoint.empty()) {
        PERDURE_TRY_VALUE(const http::Url wanted, http::parse_url(access.endpoint));
        if (!http::same_origin(wanted, account.endpoint))
            return wrong_target("COSMOS_CONNECTION_STRING is of another account than the "
                                "target's URL");
    }
    return CosmosAccess{.connection_string = text};
}

}  // namespace tool::load
