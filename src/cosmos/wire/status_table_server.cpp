// SPDX-License-Identifier: Apache-2.0
//
// What Cosmos DB says about itself, and what its gateway met on the way to the replicas. Reads go on in
// other regions; a write only where it was surely not processed, or where repeating it is harmless.
#include "status_table.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {
namespace server_table {

using enum Cause;

constexpr std::string_view not_processed =
    "A 503 that Cosmos DB itself made, without a substatus, says that a write was not processed. "
    "One "
    "without Cosmos DB's headers is a proxy's, and leaves it open.";
constexpr std::string_view both_sdks =
    "The SDKs repeat reads once and only if there is a second region, writes only in multi-write "
    "accounts. Here an account of one region is asked again after a wait.";

// What a gateway ends with when its own attempts on the replicas have run out.
constexpr StatusRow exhausted_by(int substatus, std::string_view name, std::string_view refusal,
                                 std::string_view why, std::string_view differs = {}) {
    return {.code = {503, substatus},
            .name = name,
            .cause = unavailable,
            .refusal = refusal,
            .read = elsewhere,
            .write = in_region,
            .multi_write = elsewhere,
            .why = why,
            .differs = differs,
            .source = direct};
}

constexpr std::string_view not_said{};  // whether a write was done
constexpr std::string_view open = "Whether a write had reached a replica is not said.";
constexpr std::string_view careful =
    "Rust and Python take every 503 for not processed, this one too.";
constexpr std::string_view as_it_came =
    "The reason of a 410 that the gateway's own attempts ended with.";
constexpr std::string_view or_no_room =
    "The reason of a 410 that the gateway's own attempts ended with. When containers or their "
    "throughput are changed: the region has no room for more.";

constexpr Reaction moving_after(int status) {
    if (status == 503) return elsewhere;
    return status == 500 ? elsewhere_broken : elsewhere_other;
}

constexpr StatusRow broke(int status, std::string_view name, Cause cause, std::string_view why,
                          std::string_view differs, std::string_view source) {
    return {.code = {status},
            .last = any_of({status}),
            .name = name,
            .cause = cause,
            .read = moving_after(status),
            .write = in_region,
            .multi_write = moving_after(status),
            .why = why,
            .differs = differs,
            .source = source};
}

constexpr auto rows = std::to_array<StatusRow>({
    broke(408, "request timeout", timed_out,
          "The service gave up. A write may have been applied all the same. A timeout is no sign "
          "that "
          "the region is down: it gets no mark.",
          "The article says that SDKs repeat it; .NET in Gateway mode and JS do not.", article),
    broke(
        500, "internal server error", internal,
        "The service broke. A write may have been applied before it did.",
        "The article says not to repeat it; .NET repeats reads once in another region, Java and JS "
        "never, Rust also writes.",
        article),
    broke(502, "bad gateway", unavailable, "A proxy could not reach the service or not read it.",
          "The SDKs do not repeat it.", "RFC 9110 15.6.3"),
    {.code = {503},
     .name = "service unavailable",
     .cause = unavailable,
     .refusal = rust,
     .read = elsewhere,
     .write = in_region,
     .multi_write = elsewhere,
     .why = not_processed,
     .differs = both_sdks,
     .source = net},
    broke(503, "service unavailable", unavailable,
          "A reason that has no row. Whether a write was done is not said.",
          "Rust and Python take every 503 for not processed, this one too; Java repeats a write "
          "only for 21005, 21008 and 1022.",
          net),
    broke(504, "gateway timeout", timed_out, "A proxy got no answer from the service in time.",
          "The SDKs do not repeat it.", "RFC 9110 15.6.5"),
    {.code = {404, 1013},
     .name = "container still being made",
     .cause = unavailable,
     .read = elsewhere_other,
     .write = in_region,
     .multi_write = elsewhere_other,
     .why =
         "The container is there and cannot be used yet. It takes seconds after its creation; in "
         "other regions it may take longer. No source says what became of a write.",
     .differs = "Java asks another region, but only for the ranges of a container; else the SDKs "
                "report it.",
     .source = numbers},
    {.code = {404, 1023},
     .name = "store not ready",
     .cause = unavailable,
     .read = elsewhere_other,
     .write = in_region,
     .multi_write = elsewhere_other,
     .why = "The replica is not open yet. It passes, and no source says what became of a write.",
     .differs = "The SDKs do not repeat it.",
     .source = numbers},
    exhausted_by(1000, "name cache stale", direct, as_it_came),
    exhausted_by(1002, "partition key range gone", direct, as_it_came),
    exhausted_by(1007, "partition being split", direct, or_no_room),
    exhausted_by(1008, "partition being moved", direct, or_no_room),
    exhausted_by(1022, "lease not found", not_said,
                 "The replicas of the partition have no leader. In a Strong account the leader may "
                 "be lost while a write that is done is being confirmed.",
                 "Java repeats a write in the next region, in accounts where several regions take "
                 "writes. Rust and Python take every 503 for not processed."),
    exhausted_by(20001, "connection to the replicas lost", not_said, open, careful),
    exhausted_by(20002, "replicas did not answer in time", not_said, open, careful),
    exhausted_by(20003, "transport unavailable", not_said, open, careful),
    exhausted_by(
        20004, "processor overloaded", not_said,
        "The asking side had no processor time left. Whether a write had left is not said.",
        careful),
    exhausted_by(20005, "threads starved", not_said,
                 "The asking side had no thread left. Whether a write had left is not said.",
                 careful),
    exhausted_by(20006, "channel closed", not_said, open, careful),
    exhausted_by(20009, "name not resolved", direct, "Without an address nothing was sent."),
    exhausted_by(21001, "name cache stale for too long", direct,
                 "The container was not found again in time."),
    exhausted_by(21002, "partition key range gone for too long", direct,
                 "The range was not found again in time."),
    exhausted_by(21003, "split not over in time", direct,
                 "The partition was being split all the time."),
    exhausted_by(21004, "migration not over in time", direct,
                 "The partition was being moved all the time."),
    exhausted_by(21005, "replicas gone for too long", direct,
                 "The replicas said all the time that they had moved."),
    exhausted_by(21006, "write barrier not met", not_said,
                 "The write is done in one region and not yet confirmed by the others.", careful),
    exhausted_by(21007, "no quorum for a read", direct, "Too few replicas agreed."),
    exhausted_by(21008, "replica unavailable", direct, "A replica said 503 by itself."),
    exhausted_by(21011, "barrier throttled", not_said,
                 "The write may be done; the requests that confirm it were throttled.", careful),
    exhausted_by(21012, "write not confirmed by enough regions", not_said,
                 "The write is done in one region and not yet in as many as the account asks for.",
                 careful),
    exhausted_by(20913, "write region changed meanwhile", not_said,
                 "The write region changed while the write was being confirmed. The service itself "
                 "calls its state ambiguous.",
                 careful),
    {.code = {408, 21013},
     .name = "write barrier throttled",
     .cause = timed_out,
     .read = elsewhere_other,
     .write = in_region,
     .why = "The write may be done; the requests that confirm it were throttled. Another region "
            "would not help it.",
     .source = direct},
});

}  // namespace server_table
}  // namespace

std::span<const StatusRow> server_rows() noexcept { return server_table::rows; }

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
