// SPDX-License-Identifier: Apache-2.0
//
// Options of a DynamoDB client for a server of the loopback: nothing comes from this machine's
// environment or files.
//
//     dynamodb::Client client{local(server.url())};
#pragma once

#include <string>

#include "live/support/dynamo_server.hpp"
#include "perdure/dynamodb/client.hpp"

namespace perdure::live {

inline dynamodb::ClientOptions local(const std::string& url, const Expected& who = {}) {
    dynamodb::ClientOptions options;
    options.region = who.region;
    options.endpoint = url;
    options.credentials = dynamodb::fixed_credentials({who.key, who.secret, who.token});
    options.surroundings = {};
    return options;
}

}  // namespace perdure::live
