// SPDX-License-Identifier: Apache-2.0
//
// What DynamoDB says about items and tables. Most are answers, not faults: they feed no breaker and no
// budget. Nothing was done in any of these cases.
#include "error_table.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {
namespace state_table {

using enum Cause;

constexpr ErrorRow about_tables(std::string_view code, Cause cause, std::string_view why) {
    return {.code = code, .cause = cause, .why = why, .source = api_model};
}

constexpr auto rows = std::to_array<ErrorRow>({
    {.code = "ConditionalCheckFailedException",
     .cause = conflict,
     .why =
         "An answer: the condition does not hold. After an attempt whose outcome is unknown it may "
         "mean that this attempt was the one that did it; create_once, versioned and counted find "
         "out by their marker.",
     .differs = "The SDKs report it for their own earlier success as well.",
     .source = developer_guide},
    {.code = "TransactionConflictException",
     .cause = contended,
     .why = "A transaction holds the item. Nothing was written, and it is over in milliseconds.",
     .differs = "No SDK repeats it.",
     .source = api_model},
    {.code = "TransactionCanceledException",
     .cause = conflict,
     .why =
         "Nothing of the transaction was done; the reasons decide. If all that stand against it "
         "are "
         "conflicts with other transactions it is contended, with throttling among them throttled, "
         "and repeated with the same token. One failed condition or wrong action makes it final.",
     .differs = "No SDK repeats it.",
     .source = api_model},
    {.code = "ItemCollectionSizeLimitExceededException",
     .cause = too_large,
     .why = "The items under one partition key, with their local indexes, have reached 10 GB.",
     .hint = "It does not pass by itself: spread the data over more partition keys.",
     .differs = "The developer guide of 2022 says to repeat it; all SDKs call it final.",
     .source = developer_guide},
    {.code = "IdempotentParameterMismatchException",
     .cause = invalid,
     .why = "The token was used for another request in the last ten minutes.",
     .hint = "Make one token for each logical call; never store it for longer than that.",
     .source = api_model},
    {.code = "DuplicateItemException",
     .cause = conflict,
     .why = "An INSERT of a key that exists.",
     .source = api_model},
    {.code = "ResourceNotFoundException",
     .cause = not_found,
     .why = "No such table or index, or it is still being created.",
     .hint = "Check name and region; wait for a table that was just made.",
     .source = developer_guide},
    {.code = "ResourceInUseException",
     .cause = conflict,
     .why = "The table exists already, or is just being changed. Waiting for it is a matter of "
            "minutes, "
            "not of retries.",
     .differs = "The C++ SDK (1.11.866) repeats it; the developer guide and the other SDKs do not.",
     .source = developer_guide},
    about_tables("BackupInUseException", conflict, "The backup is just being made or deleted."),
    about_tables("BackupNotFoundException", not_found, "No such backup."),
    about_tables("ContinuousBackupsUnavailableException", conflict,
                 "Continuous backups are not switched on for the table."),
    about_tables("ExportConflictException", conflict, "The token belongs to another export."),
    about_tables("ExportNotFoundException", not_found, "No such export."),
    about_tables("GlobalTableAlreadyExistsException", conflict, "The global table exists."),
    about_tables("GlobalTableNotFoundException", not_found, "No such global table."),
    about_tables("ImportConflictException", conflict, "The token belongs to another import."),
    about_tables("ImportNotFoundException", not_found, "No such import."),
    about_tables("IndexNotFoundException", not_found, "No such index."),
    about_tables("InvalidExportTimeException", invalid,
                 "There is no state of that time to export."),
    about_tables("InvalidRestoreTimeException", invalid,
                 "There is no state of that time to restore."),
    about_tables("PointInTimeRecoveryUnavailableException", conflict,
                 "Point-in-time recovery is not switched on for the table."),
    about_tables("PolicyNotFoundException", not_found, "The resource has no policy."),
    about_tables("ReplicaAlreadyExistsException", conflict, "The replica exists."),
    about_tables("ReplicaNotFoundException", not_found, "No such replica."),
    about_tables("TableAlreadyExistsException", conflict, "The table to restore into exists."),
    about_tables("TableInUseException", conflict, "The table is just being changed."),
    about_tables("TableNotFoundException", not_found, "No such table."),
});

}  // namespace state_table
}  // namespace

std::span<const ErrorRow> state_rows() noexcept { return state_table::rows; }

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
