// SPDX-License-Identifier: Apache-2.0
//
// How is a source on this machine asked over HTTP? Shortly, directly, once; its answer is small and
// stays out of every message.
#pragma once

#include <string>
#include <string_view>

#include "credentials_source.hpp"
#include "perdure/call/environment.hpp"
#include "perdure/http/client.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// One attempt, no proxy, no redirect, at most 64 KB. `timeout` for connecting and again for the answer.
http::ClientOptions local_service(std::string_view name, Duration timeout,
                                  const Environment& environment);

// Within the attempt of the fetch, which owns the repeats. A failure says what was asked for (`what`)
// and how it failed, by status or trouble.
Result<http::Response> ask(http::Client& client, const http::Request& request,
                           std::string_view what, const Attempt& attempt);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
