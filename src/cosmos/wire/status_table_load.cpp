// SPDX-License-Identifier: Apache-2.0
//
// What Cosmos DB says about load: throttling and contention. Nothing was done in any of these cases, and
// no other region would help.
#include "status_table.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {
namespace load_table {

using enum Cause;

constexpr std::string_view no_header =
    ".NET and Java wait exactly what the header says, and 5 s without one; JS repeats nine times "
    "without any delay when the header is missing. Here a little jitter is added, and without a "
    "header the waits grow from 100 ms.";

constexpr auto rows = std::to_array<StatusRow>({
    {.code = {429},
     .last = any_of({429}),
     .name = "too many requests",
     .cause = throttled,
     .refusal = article,
     .read = again("throttled"),
     .write = again("throttled"),
     .why =
         "More is asked for than there is; nothing was done. Repeated in the same region, as often "
         "and as long as its own rule says, and outside the retry budget. The hint stays in the "
         "failure for who wants to wait longer.",
     .hint = "If it goes on, look at the charge of the requests and at hot partition keys.",
     .differs = no_header,
     .source = net},
    {.code = {429, 3092},
     .name = "the write region cannot take it now",
     .cause = throttled,
     .refusal = article,
     .read = again("throttled"),
     .write = again("throttled"),
     .multi_write = elsewhere,
     .why = "The region itself is short, not the container's budget. Where another region takes "
            "writes it is asked there.",
     .source = net},
    {.code = {429, 3200},
     .name = "request units used up",
     .cause = throttled,
     .refusal = article,
     .read = again("throttled"),
     .write = again("throttled"),
     .why =
         "A partition or the container is asked for more request units than it has in this second.",
     .hint = "Look at the request charge, spread the partition key, or provision more.",
     .differs = no_header,
     .source = net},
    {.code = {429, 3201},
     .name = "metadata budget used up",
     .cause = throttled,
     .refusal = article,
     .read = again("throttled"),
     .write = again("throttled"),
     .why = "Databases, containers and ranges are asked for too often. This budget is small and "
            "fixed.",
     .hint = "Keep one client for each account and process: it remembers containers. More request "
             "units do not help.",
     .differs = no_header,
     .source = net},
    {.code = {449},
     .last = any_of({449}),
     .name = "contended: another write to the item is under way",
     .cause = contended,
     .refusal = article,
     .read = again("contended"),
     .write = again("contended"),
     .why = "Another write to the same item was under way; nothing was written. The gateway is "
            "asked not "
            "to repeat it by itself, so that there is one loop.",
     .hint =
         "Many of them on one id are contention: let fewer writers share the item, or patch it.",
     .differs =
         "JS and Python do not repeat it. .NET caps its waits outside the jitter, so that all "
         "clients end up waiting exactly one second.",
     .source = net},
});

}  // namespace load_table
}  // namespace

std::span<const StatusRow> load_rows() noexcept { return load_table::rows; }

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
