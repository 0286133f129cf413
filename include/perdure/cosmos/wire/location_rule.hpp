// SPDX-License-Identifier: Apache-2.0
//
// May keys and tokens go to an address that the account document names? The document comes from the
// service, so it must not lead to a weaker connection or to another owner's host than the endpoint that
// the user gave.
//
//     check_location(*parse_url("https://acct.documents.azure.com/"), location.endpoint)
//
//     https://acct-eastus.documents.azure.com/     allowed
//     http://acct-eastus.documents.azure.com/      weaker_scheme
//     https://acct.example.com/                    other_host
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "perdure/http/url.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

enum class LocationCheck : std::uint8_t { allowed, weaker_scheme, other_host };

// Plain HTTP is allowed only if `given` is plain HTTP and the location is on this machine or on the given
// host. The host has to be
//   - the given one,
//   - under the given one's parent domain, which is what follows its first label ("documents.azure.com")
//     and must have two labels at least and not be a registry's ("co.uk"),
//   - of this machine, if the given one is, or
//   - one of `other_domains` or under one of them.
// Ports may differ. Pure; any thread.
LocationCheck check_location(const http::Url& given, const http::Url& location,
                             std::span<const std::string> other_domains = {});

// Why it is not used, as the end of a sentence; empty for `allowed`.
std::string_view describe(LocationCheck check) noexcept;

// Whether `text` can stand in `other_domains`: a host name, or an IP address without brackets. A domain of
// two labels or more stands for the hosts under it too; a single label and an address for themselves only.
bool valid_domain(std::string_view text);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
