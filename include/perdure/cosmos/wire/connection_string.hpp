// SPDX-License-Identifier: Apache-2.0
//
// Which account, and with which key? The text the portal shows for copying.
//
//     parse_connection_string("AccountEndpoint=https://acct.documents.azure.com:443/;AccountKey=…;")
#pragma once

#include <string>
#include <string_view>

#include "perdure/cosmos/wire/signature.hpp"
#include "perdure/http/url.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

struct ConnectionString {
    http::Url endpoint;
    MasterKey key;
};

// Names in any case and any order, a last semicolon or none; names we do not know are passed over, one
// that stands there twice is refused. The failure is `invalid`, of the application,
// "invalid-connection-string" (or the code of the part that is wrong), and shows nothing of the text.
Result<ConnectionString> parse_connection_string(std::string_view text);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
