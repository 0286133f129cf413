// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/endpoint.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "perdure/http/url.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

// A group of regions under one roof. A region that no row knows is one of the first, so that a new
// region needs no new version.
struct Partition {
    std::string_view prefix{};
    std::string_view suffix{};
    std::string_view dual_stack_suffix{};
};
constexpr Partition partitions[] = {
    {"", "amazonaws.com", "api.aws"},
    {"cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn"},
    {"us-gov-", "amazonaws.com", "api.aws"},
    {"eusc-", "amazonaws.eu", "api.amazonwebservices.eu"},
    {"us-iso-", "c2s.ic.gov", "api.aws.ic.gov"},
    {"us-isob-", "sc2s.sgov.gov", "api.aws.scloud"},
    {"eu-isoe-", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk"},
    {"us-isof-", "csp.hci.ic.gov", "api.aws.hci.ic.gov"},
};

const Partition& partition_of(std::string_view region) noexcept {
    const auto found =
        std::find_if(std::begin(partitions) + 1, std::end(partitions),
                     [&](const Partition& p) { return region.starts_with(p.prefix); });
    return found == std::end(partitions) ? partitions[0] : *found;
}

Fail refuse_endpoint(std::string message) {
    return fail({.cause = Cause::invalid,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .code = "invalid-endpoint",
                 .message = std::move(message)});
}

bool looks_like_a_region(std::string_view text) noexcept {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-';
    };
    // It becomes a label of a host name, which has no more than 63 characters and no hyphen at its ends.
    return text.size() <= 63 && std::all_of(text.begin(), text.end(), fits) &&
           !text.starts_with('-') && !text.ends_with('-');
}

Result<Endpoint> overridden(const EndpointChoice& choice) {
    const auto url = http::parse_url(choice.override_url);
    if (!url) return refuse_endpoint("the endpoint is not a URL: " + url.error().message);
    if (!url->userinfo.empty())
        return refuse_endpoint(
            "the endpoint's URL has a name or a password in it, and DynamoDB takes none");
    // Only "/" is ever asked for and signed.
    if (url->target != "/")
        return refuse_endpoint(
            "the endpoint's URL has a path or a query; scheme, host and port make it up");
    Endpoint endpoint;
    endpoint.url = url->scheme + "://" + http::host_of(*url);
    endpoint.signing_region = choice.region;
    return endpoint;
}

Endpoint of_the_region(const EndpointChoice& choice) {
    const Partition& partition = partition_of(choice.region);
    const bool dual = choice.dual_stack == DualStack::on;
    // GovCloud's plain host is the certified one already; only its dual-stack one has a name for it.
    const bool named = choice.fips == Fips::on && (dual || partition.prefix != "us-gov-");
    Endpoint endpoint;
    endpoint.url = named ? "https://dynamodb-fips." : "https://dynamodb.";
    endpoint.url += choice.region;
    endpoint.url += '.';
    endpoint.url += dual ? partition.dual_stack_suffix : partition.suffix;
    endpoint.signing_region = choice.region;
    return endpoint;
}

}  // namespace

Result<Endpoint> endpoint_of(const EndpointChoice& choice) {
    const bool flagged = choice.fips == Fips::on || choice.dual_stack == DualStack::on;
    if (choice.region.empty())
        return refuse_endpoint("no region: name one, or set AWS_REGION or the profile's `region`");
    if (!looks_like_a_region(choice.region))
        return refuse_endpoint(
            "the region is no name of letters, digits and hyphens, like eu-west-1");
    if (!choice.override_url.empty()) {
        if (flagged)
            return refuse_endpoint(
                "FIPS and dual stack choose among AWS's own hosts and cannot be combined "
                "with an endpoint's URL");
        return overridden(choice);
    }
    if (choice.region != "local") return of_the_region(choice);
    if (flagged)
        return refuse_endpoint("the region `local` has neither a FIPS nor a dual-stack host");
    Endpoint local;
    local.url = "http://localhost:8000";
    local.signing_region = "us-east-1";
    return local;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
