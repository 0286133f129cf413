// SPDX-License-Identifier: Apache-2.0
//
// What Cosmos DB says when it was asked in the wrong place: a region that may not write or is gone, a
// replica that has not seen the session's writes, a container or partition that moved.
#include "status_table.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {
namespace place_table {

using enum Cause;

constexpr std::string_view hides = "The gateway mostly hides it behind its own refresh.";
constexpr std::string_view only_feeds =
    ".NET repeats it for queries, feeds and bulk only, up to ten times.";
constexpr Reaction refresh_ranges = again("gone", Remedy::refresh_routing_partition);
constexpr Reaction refresh_container = again("recreated", Remedy::refresh_routing_item);
constexpr std::string_view by_gateway = "What the gateway's own attempts met, which newer gateways "
                                        "turn into a 503 with the same number.";

// A 410 after which neither ranges nor containers are fetched again.
constexpr StatusRow gone(int substatus, int last, std::string_view name, std::string_view refusal,
                         std::string_view why, std::string_view differs = {},
                         std::string_view source = direct) {
    return {.code = {410, substatus},
            .last = {410, last},
            .name = name,
            .cause = stale_route,
            .refusal = refusal,
            .read = elsewhere_other,
            .write = again("gone"),
            .multi_write = elsewhere_other,
            .why = why,
            .differs = differs,
            .source = source};
}

constexpr auto rows = std::to_array<StatusRow>({
    {.code = {403, 3},
     .name = "write forbidden in this region",
     .cause = wrong_region,
     .refusal = status_page,
     .write = again("write-forbidden", leave_region),
     .why =
         "The region does not take writes, or no longer: the account has failed over. The account "
         "document is fetched anew, whatever its age, and the region keeps its mark.",
     .hint =
         "If it stays, the client's picture of the account is wrong: look at the write regions.",
     .differs =
         ".NET repeats up to 120 times a second apart; instances were seen to hang for 20 minutes "
         "and to keep an old region for 4 hours. JS goes to the global endpoint after 1 s. Reads "
         "get it only with the header for the hub region, which is not sent here.",
     .source = net},
    {.code = {403, 1008},
     .name = "the account is not in this region",
     .cause = wrong_region,
     .refusal = net,
     .read = again("region-gone", leave_region),
     .write = again("region-gone", leave_region),
     .why = "The region was taken out of the account. The account document may list it for minutes "
            "more, so its mark outlives a refresh.",
     .differs =
         ".NET repeats writes of multi-write accounts only, and up to 120 times. Here a write is "
         "repeated as well: it was not processed, and the refresh finds the write region.",
     .source = net},
    {.code = {404, 1002},
     .name = "session not available here",
     .cause = wrong_region,
     .refusal = net,
     .read = again("session", Remedy::write_endpoint),
     .multi_read = again("session-elsewhere", Remedy::next_endpoint),
     .multi_write = again("session-elsewhere", Remedy::next_endpoint),
     .why =
         "The replica has not yet seen what this session wrote. The token is kept: with one write "
         "region that one is asked, else every region once.",
     .hint = "If it stays, the token is from another account or container, or replication is far "
             "behind.",
     .differs =
         "JS asks without the token in the end and so may read what is stale. .NET and Java ask "
         "the write region twice, the second time only as the hub of the partition; that header "
         "is not sent here.",
     .source = net},
    {.code = {410, 1000},
     .name = "name cache is stale",
     .cause = stale_route,
     .refusal = direct,
     .read = refresh_container,
     .write = refresh_container,
     .why = "The container was deleted and made again under its name. It is looked up anew, once.",
     .source = net},
    {.code = {410, 1002},
     .name = "partition key range gone",
     .cause = stale_route,
     .refusal = direct,
     .read = refresh_ranges,
     .write = refresh_ranges,
     .why = "The partition was split or merged. The ranges are fetched anew.",
     .differs = only_feeds,
     .source = net},
    {.code = {410, 1007},
     .name = "partition is being split",
     .cause = stale_route,
     .refusal = direct,
     .read = refresh_ranges,
     .write = refresh_ranges,
     .why = hides,
     .differs = only_feeds,
     .source = net},
    {.code = {410, 1008},
     .name = "partition is being moved",
     .cause = stale_route,
     .refusal = direct,
     .read = refresh_ranges,
     .write = refresh_ranges,
     .why = hides,
     .differs = only_feeds,
     .source = net},
    {.code = {410, 1022},
     .name = "lease not found",
     .cause = stale_route,
     .read = elsewhere_broken,
     .write = again("gone"),
     .multi_write = elsewhere_broken,
     .why = "The replicas of the partition have no leader in this region just now. A write may be "
            "done: in a Strong account the leader may be lost while the write is being confirmed.",
     .differs = ".NET tries one other region once, for writes only in multi-write accounts, whose "
                "writes are not confirmed in that way.",
     .source = direct},
    gone(0, 0, "gone", direct,
         "What was to answer has moved; the service itself says that it did nothing.",
         "A client in Gateway mode of .NET or JS does not repeat it, though the article says that "
         "the SDKs do.",
         article),
    gone(20001, 20001, "connection to the replicas lost", {}, by_gateway),
    gone(20002, 20002, "replicas did not answer in time", {}, by_gateway),
    gone(20009, 20009, "name not resolved", direct, "Without an address nothing was sent."),
    gone(21001, 21005, "moved for too long", direct, by_gateway),
    gone(21006, 21006, "write barrier not met", {},
         "The write is done in one region and not yet confirmed by the others."),
    gone(21007, 21008, "replicas did not agree or were not there", direct, by_gateway),
    gone(21012, 21012, "write not confirmed by enough regions", {},
         "The write is done in one region and not yet in as many as the account asks for."),
    gone(0, largest_substatus, "gone", {},
         "A reason that has no row. Whether a write was done is not said.",
         "Rust takes every 410 for not processed, this one too."),
    {.code = {400, 1001},
     .name = "partition key does not match",
     .cause = invalid,
     .refusal = status_page,
     .read = refresh_container,
     .write = refresh_container,
     .final_in_race = true,
     .why = "The partition key in the header is not the one in the item, or the container was made "
            "anew "
            "with another path. The container is looked up once; after that it is final.",
     .hint = "Compare the key that was given with the item's value at the container's path.",
     .source = net},
    {.code = {400, 1024},
     .name = "container id is stale",
     .cause = invalid,
     .refusal = java,
     .read = refresh_container,
     .write = refresh_container,
     .final_in_race = true,
     .why = "The container was made again under its name. It is looked up once; after that it is "
            "final.",
     .source = java},
});

}  // namespace place_table
}  // namespace

std::span<const StatusRow> place_rows() noexcept { return place_table::rows; }

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
