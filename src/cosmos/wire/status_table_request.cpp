// SPDX-License-Identifier: Apache-2.0
//
// What Cosmos DB says about the caller and the request: keys, form, size, and the state of items. Nothing was
// done, and asking again says the same; some rows help once after something was fetched anew.
#include "status_table.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {
namespace request_table {

using enum Cause;

enum class Race : std::uint8_t { goes_on, ends };

// Where a row names no other source the page of statuses says of its status that the request was refused.
// It knows few substatuses: they only give the reason.
constexpr StatusRow final_row(StatusCode code, StatusCode last, std::string_view name, Cause cause,
                              Race race, std::string_view why, std::string_view hint = {},
                              std::string_view differs = {}, std::string_view source = net,
                              std::string_view refusal = status_page) {
    return {.code = code,
            .last = last,
            .name = name,
            .cause = cause,
            .refusal = refusal,
            .final_in_race = race == Race::ends,
            .why = why,
            .hint = hint,
            .differs = differs,
            .source = source};
}

constexpr std::string_view roles =
    "Give the identity a data-plane role, or use the account key: "
    "databases and containers cannot be made or changed with a role.";
constexpr std::string_view clock_hint =
    "Check the key and the account's name. If the clock of this machine is off, set it.";
constexpr std::string_view bad_requests = "Microsoft, troubleshooting bad requests";
// It names 403/1014 and 403/5300, and what firewalls refuse.
constexpr std::string_view forbidden_page = "Microsoft, troubleshooting forbidden exceptions";
constexpr std::string_view rest = "REST API";
constexpr std::string_view no_resource = "RFC 9110 15.5.6";  // what 405 is for
constexpr std::string_view twice = "After an attempt without an answer it may be one's own write: "
                                   "create_once and replace_versioned "
                                   "find that out.";

constexpr auto rows = std::to_array<StatusRow>({
    final_row(
        {207}, any_of({207}), "batch refused", conflict, Race::goes_on,
        "Nothing of the batch was applied. The entry that stood in its way has a status of its "
        "own, which is taken for the batch's; the others have 424.",
        {}, {}, rest, rest),
    final_row({400}, any_of({400}), "bad request", invalid, Race::ends, "The request is wrong.", {},
              {}, article),
    final_row(
        {400, 1004}, {400, 1004}, "cross-partition query not servable", invalid, Race::ends,
        "The gateway cannot answer this query over several partitions: it sorts, groups, counts or "
        "cuts. Perdure does not merge such results.",
        "Give the partition key, or read the plain items and do the rest yourself.",
        "The SDKs merge the partitions' results on the client.", rest),
    {.code = {400},
     .last = any_of({400}),
     .word = "header-too-large",
     .name = "request header too large",
     .cause = too_large,
     .refusal = bad_requests,
     .final_in_race = true,
     .why = "Session or continuation tokens have outgrown the limit for headers. The front end "
            "says so "
            "in a page of its own, as 400 or 431.",
     .hint = "Use partition-local session tokens, and limit the size of continuation tokens.",
     .source = bad_requests},
    final_row(
        {401}, any_of({401}), "not authorized", forbidden, Race::ends,
        "The key, the token or the signature is wrong. A token that can be renewed is renewed, and "
        "the call repeated, once. With a clock that is far off it is clock_skew.",
        clock_hint, ".NET renews a token only on a revocation, and only if that is switched on.",
        article),
    {.code = {401, 5013},
     .name = "token revoked",
     .cause = credentials,
     .refusal = status_page,
     .read = again("credentials", Remedy::refresh_credentials),
     .write = again("credentials", Remedy::refresh_credentials),
     .why = "The token was revoked before it expired. It is fetched anew, once.",
     .differs = "In .NET this is off unless asked for.",
     .source = net},
    final_row(
        {401, 5202}, {401, 5202}, "the account refuses keys", forbidden, Race::ends,
        "Local authentication is switched off for the account: no key is accepted, however "
        "right it is.",
        "Use Entra ID: give the client a source of tokens instead of the key, and its identity a "
        "data-plane role.",
        {}, numbers),
    final_row(
        {403}, any_of({403}), "forbidden", forbidden, Race::goes_on,
        "A firewall, an expired signature, a missing right. With a clock that is far off it is "
        "clock_skew, signed anew and repeated once.",
        "Look at the account's network rules and at the clock of this machine.",
        "The article calls repeating it optional.", article, forbidden_page),
    final_row({403, 1005}, {403, 1005}, "limit of provisioning reached", forbidden, Race::goes_on,
              "The account may not provision more than it has.",
              "Delete what is not used, or ask for a higher quota.", {}, numbers),
    final_row({403, 1010}, {403, 1010}, "shared throughput used up", forbidden, Race::goes_on,
              "The containers that share the database's throughput have reached its quota.",
              "Raise the throughput of the database, or give the container throughput of its own.",
              {}, numbers),
    final_row({403, 1028}, {403, 1028}, "throughput limit of the account reached", forbidden,
              Race::goes_on,
              "The account limits the throughput that all its containers have together.",
              "Raise the account's limit on total throughput, or provision less.", {}, numbers),
    final_row(
        {403, 1014}, {403, 1014}, "partition key is full", too_large, Race::goes_on,
        "The items under one partition key have reached 20 GB. An operation that can amend its "
        "request may write under another key.",
        "It does not pass by itself: choose a finer partition key.",
        "The article leaves it to the application to change the key and repeat.", article,
        forbidden_page),
    final_row({403, 5300}, {403, 5306}, "not allowed by its role", forbidden, Race::goes_on,
              "Role-based access control refuses the operation.", roles, {}, net, forbidden_page),
    final_row({403, 5400}, {403, 5400}, "not allowed by its role", forbidden, Race::goes_on,
              "Role-based access control did not let the request through, and the reason is on the "
              "service's side.",
              roles, {}, numbers),
    final_row({403, 5307}, {403, 5314}, "outside the network perimeter", forbidden, Race::goes_on,
              "The account's network perimeter refuses where the request comes from.",
              "Look at the perimeter's rules.", {}, net, forbidden_page),
    final_row({404, 0}, {404, 0}, "not found", not_found, Race::ends,
              "No item with this id under this partition key.", {}, {}, article),
    final_row({404, 1003}, {404, 1003}, "owner not found", not_found, Race::goes_on,
              "The database or the container does not exist.", "Check both names and the account."),
    final_row({404}, any_of({404}), "not found", not_found, Race::goes_on,
              "Something is not there."),
    final_row({405}, any_of({405}), "method not allowed", invalid, Race::ends,
              "The resource does not know this operation.", {}, {}, net, no_resource),
    final_row({409}, any_of({409}), "conflict", conflict, Race::ends,
              "The id is taken under this partition key, or a unique key is violated.", twice, {},
              article),
    final_row({409, 3302}, {409, 3302}, "hash collision", conflict, Race::ends,
              "Two ids have the same hash in a container of the old key version.",
              "Choose another id, or move to a container with key version 2.", {}, rest),
    final_row({412}, any_of({412}), "precondition failed", conflict, Race::ends,
              "The item has changed since its etag was read, or a patch's condition is false.",
              twice, {}, article),
    final_row({413}, any_of({413}), "too large", too_large, Race::ends,
              "The item or the request is larger than 2 MB.", {}, {}, article),
    final_row({413, 3402}, {413, 3402}, "answer too large", too_large, Race::ends,
              "The answers of a bulk request exceed 4 MB.",
              "Send what was refused in smaller parts.", {}, net, net),
    final_row({423}, any_of({423}), "locked", forbidden, Race::goes_on,
              "The resource is locked for changes.", "A person has to lift the lock.",
              "HTTP's own table repeats it; no SDK does."),
    final_row({424}, any_of({424}), "failed dependency", conflict, Race::goes_on,
              "Not done because another entry of the same batch failed."),
});

}  // namespace request_table
}  // namespace

std::span<const StatusRow> request_rows() noexcept { return request_table::rows; }

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
