// SPDX-License-Identifier: Apache-2.0
#include "operation_table.hpp"

#include <algorithm>
#include <array>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

// `guarded` without a token: the service itself refuses the second one, which then ends as a conflict
// with unknown effect, because it may have been our own first try.
constexpr std::array operation_rows = std::to_array<OperationRow>({
    {"BatchExecuteStatement", Plane::data, Safety::once, "", "PartiQL may write"},
    {"BatchGetItem", Plane::data, Safety::read},
    {"BatchWriteItem", Plane::data, Safety::idempotent, "",
     "each part replaces or deletes a whole item"},
    {"CreateBackup", Plane::control, Safety::once, "",
     "a second one makes a second backup of the same name"},
    {"CreateGlobalTable", Plane::control, Safety::guarded, "",
     "a second one is refused: the name is taken"},
    {"CreateTable", Plane::control, Safety::guarded, "",
     "a second one is refused: the name is taken"},
    {"DeleteBackup", Plane::control, Safety::idempotent, "", "a backup's name is never used again"},
    {"DeleteItem", Plane::data, Safety::once, "",
     "it may have a condition; the request type knows better"},
    {"DeleteResourcePolicy", Plane::control, Safety::idempotent},
    {"DeleteTable", Plane::control, Safety::idempotent, "",
     "a second one finds nothing, or the deletion under way"},
    {"DescribeBackup", Plane::control, Safety::read},
    {"DescribeContinuousBackups", Plane::control, Safety::read},
    {"DescribeContributorInsights", Plane::control, Safety::read},
    {"DescribeEndpoints", Plane::control, Safety::read},
    {"DescribeExport", Plane::control, Safety::read},
    {"DescribeGlobalTable", Plane::control, Safety::read},
    {"DescribeGlobalTableSettings", Plane::control, Safety::read},
    {"DescribeImport", Plane::control, Safety::read},
    {"DescribeKinesisStreamingDestination", Plane::control, Safety::read},
    {"DescribeLimits", Plane::control, Safety::read},
    {"DescribeTable", Plane::control, Safety::read},
    {"DescribeTableReplicaAutoScaling", Plane::control, Safety::read},
    {"DescribeTimeToLive", Plane::control, Safety::read},
    {"DisableKinesisStreamingDestination", Plane::control, Safety::guarded, "",
     "a second one is refused: it is off"},
    {"EnableKinesisStreamingDestination", Plane::control, Safety::guarded, "",
     "a second one is refused: it is on"},
    {"ExecuteStatement", Plane::data, Safety::once, "",
     "PartiQL may write; a SELECT may be declared a read"},
    {"ExecuteTransaction", Plane::data, Safety::guarded, "ClientRequestToken",
     "the service knows the token for 10 minutes"},
    {"ExportTableToPointInTime", Plane::control, Safety::guarded, "ClientToken",
     "the service knows the token for 8 hours"},
    {"GetItem", Plane::data, Safety::read},
    {"GetResourcePolicy", Plane::control, Safety::read},
    {"ImportTable", Plane::control, Safety::guarded, "ClientToken",
     "the service knows the token for 8 hours"},
    {"ListBackups", Plane::control, Safety::read},
    {"ListContributorInsights", Plane::control, Safety::read},
    {"ListExports", Plane::control, Safety::read},
    {"ListGlobalTables", Plane::control, Safety::read},
    {"ListImports", Plane::control, Safety::read},
    {"ListTables", Plane::control, Safety::read},
    {"ListTagsOfResource", Plane::control, Safety::read},
    {"PutItem", Plane::data, Safety::once, "",
     "it may have a condition; the request type knows better"},
    {"PutResourcePolicy", Plane::control, Safety::once, "",
     "a late repeat would undo another's change"},
    {"Query", Plane::data, Safety::read},
    {"RestoreTableFromBackup", Plane::control, Safety::guarded, "",
     "a second one is refused: the name is taken"},
    {"RestoreTableToPointInTime", Plane::control, Safety::guarded, "",
     "a second one is refused: the name is taken"},
    {"Scan", Plane::data, Safety::read},
    {"SearchVectors", Plane::data, Safety::read},
    {"TagResource", Plane::control, Safety::idempotent},
    {"TransactGetItems", Plane::data, Safety::read},
    {"TransactWriteItems", Plane::data, Safety::guarded, "ClientRequestToken",
     "the service knows the token for 10 minutes"},
    {"UntagResource", Plane::control, Safety::idempotent},
    {"UpdateContinuousBackups", Plane::control, Safety::idempotent, "", "sets what it says"},
    {"UpdateContributorInsights", Plane::control, Safety::idempotent, "", "sets what it says"},
    {"UpdateGlobalTable", Plane::control, Safety::guarded, "",
     "a second one is refused: the replica is there, or gone"},
    {"UpdateGlobalTableSettings", Plane::control, Safety::idempotent, "", "sets what it says"},
    {"UpdateItem", Plane::data, Safety::once, "", "nobody can tell from an expression"},
    {"UpdateKinesisStreamingDestination", Plane::control, Safety::idempotent, "",
     "sets what it says"},
    {"UpdateTable", Plane::control, Safety::guarded, "",
     "a second one is refused while the first is under way"},
    {"UpdateTableReplicaAutoScaling", Plane::control, Safety::idempotent, "", "sets what it says"},
    {"UpdateTimeToLive", Plane::control, Safety::guarded, "",
     "a second one within the hour is refused"},
});

static_assert(std::is_sorted(operation_rows.begin(), operation_rows.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));

}  // namespace

std::span<const OperationRow> operations() noexcept { return operation_rows; }

const OperationRow* find_operation(std::string_view name) noexcept {
    const auto* const found =
        std::lower_bound(operation_rows.begin(), operation_rows.end(), name,
                         [](const OperationRow& row, std::string_view n) { return row.name < n; });
    return found != operation_rows.end() && found->name == name ? &*found : nullptr;
}

Plane plane_of(std::string_view operation) noexcept {
    const OperationRow* const row = find_operation(operation);
    return row ? row->plane : Plane::control;
}

Safety safety_of(std::string_view operation, Token token) noexcept {
    const OperationRow* const row = find_operation(operation);
    if (!row) {
        const bool reads = operation.starts_with("Describe") || operation.starts_with("List");
        return reads ? Safety::read : Safety::once;
    }
    return row->token.empty() || token == Token::given ? row->safety : Safety::once;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
