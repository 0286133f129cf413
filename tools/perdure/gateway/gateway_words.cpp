// SPDX-License-Identifier: Apache-2.0
#include "gateway/gateway_words.hpp"

#include <utility>

#include "perdure/call/json_text.hpp"
#include "text/duration_text.hpp"

namespace tool {

namespace {

std::string json_text(std::string_view text) {
    std::string json;
    append_json_text(json, text);
    return json;
}

}  // namespace

Result<chaos::GatewayRegion> region_from_flag(std::string_view text) {
    chaos::GatewayRegion region;
    const std::size_t colon = text.rfind(':');
    region.name = text.substr(0, colon);
    if (colon == std::string_view::npos) return region;
    const auto lag = parse_duration(text.substr(colon + 1));
    if (!lag) return fail(lag.error());
    region.replication = *lag;
    return region;
}

std::string opening_text(const chaos::CosmosGateway& gateway,
                         const chaos::GatewayOptions& options) {
    std::string text = gateway.connection_string() + "\n";
    for (const chaos::GatewayRegion& region : options.regions)
        text += region.name + ": " + gateway.endpoint(region.name) + "\n";
    return text + "control: " + gateway.control() + "\n";
}

std::string opening_json(const chaos::CosmosGateway& gateway,
                         const chaos::GatewayOptions& options) {
    std::string regions;
    for (const chaos::GatewayRegion& region : options.regions)
        regions += (regions.empty() ? "" : ",") + json_text(region.name) + ':' +
                   json_text(gateway.endpoint(region.name));
    return "{\"endpoint\":" + json_text(gateway.endpoint()) + ",\"key\":" + json_text(options.key) +
           ",\"control\":" + json_text(gateway.control()) + ",\"regions\":{" + regions + "}}\n";
}

}  // namespace tool
