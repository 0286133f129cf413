// SPDX-License-Identifier: Apache-2.0
#include "load/target/cosmos_url.hpp"

#include <algorithm>
#include <utility>

#include "load/target/target_url.hpp"
#include "perdure/net/address.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

constexpr std::string_view with_tls = "cosmos://";
constexpr std::string_view without_tls = "cosmos+http://";

std::string_view without_port(std::string_view host) noexcept {
    if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
    return host.substr(0, host.find(':'));
}

Result<void> set(CosmosUrl& url, std::string_view name, std::string value) {
    std::string* const into = name == "partition"   ? &url.partition
                              : name == "discovery" ? &url.discovery
                                                    : nullptr;
    if (!into)
        return wrong_target("cosmos:// takes partition and discovery, not '" + std::string{name} +
                            "'");
    PERDURE_TRY(set_once(*into, name, std::move(value)));
    if (name == "discovery" && url.discovery != "endpoint")
        return wrong_target("discovery=endpoint keeps a load to the address in the URL; there is "
                            "no other value");
    const bool plain = url.partition.size() > 1 && url.partition.front() == '/' &&
                       url.partition.find_first_of("/\"", 1) == std::string::npos;
    if (name == "partition" && !plain)
        return wrong_target("partition names one field of the records: partition=/customer");
    return {};
}

Result<void> set_place(CosmosUrl& url, std::string_view scheme, std::string_view host) {
    if (host.find('@') != std::string_view::npos)
        return wrong_target("keys do not belong into the target's URL: they are taken from "
                            "COSMOS_KEY or COSMOS_CONNECTION_STRING");
    if (scheme == without_tls && !is_this_machine(without_port(host)))
        return wrong_target("cosmos+http:// is for servers on this machine; elsewhere it is "
                            "cosmos://, which is encrypted");
    if (!host.empty())
        url.endpoint = (scheme == without_tls ? "http://" : "https://") + std::string{host} + "/";
    return {};
}

Result<void> set_names(CosmosUrl& url, std::string_view path) {
    if (path.ends_with('/')) path.remove_suffix(1);
    const std::size_t slash = std::min(path.find('/'), path.size());
    PERDURE_TRY_VALUE(url.database, unescaped(path.substr(0, slash)));
    if (slash < path.size()) {
        PERDURE_TRY_VALUE(url.container, unescaped(path.substr(slash + 1)));
    }
    const bool more = url.container.find('/') != std::string::npos;
    if (url.database.empty() || more)
        return wrong_target("a container of Cosmos DB is written cosmos://HOST/DATABASE/CONTAINER");
    return {};
}

}  // namespace

bool is_this_machine(std::string_view host) {
    const auto address = net::Address::parse(host, 0);
    return host == "localhost" || (address && address->loopback());
}

bool is_cosmos_url(std::string_view url) noexcept {
    return url.starts_with("cosmos:") || url.starts_with("cosmos+http:");
}

Result<CosmosUrl> parse_cosmos_url(std::string_view url) {
    const std::string_view scheme = url.starts_with(with_tls) ? with_tls : without_tls;
    if (!url.starts_with(scheme))
        return wrong_target("a container of Cosmos DB is written cosmos://HOST/DATABASE/CONTAINER");
    std::string_view rest = url.substr(scheme.size());
    const std::size_t question = std::min(rest.find('?'), rest.size());
    const std::string_view place = rest.substr(0, question);
    const std::size_t slash = std::min(place.find('/'), place.size());
    CosmosUrl made;
    PERDURE_TRY(set_place(made, scheme, place.substr(0, slash)));
    PERDURE_TRY(set_names(made, place.substr(std::min(slash + 1, place.size()))));
    if (question < rest.size())
        PERDURE_TRY(each_parameter(rest.substr(question + 1),
                                   [&](std::string_view name, std::string value) {
                                       return set(made, name, std::move(value));
                                   }));
    return made;
}

}  // namespace tool::load
