// SPDX-License-Identifier: Apache-2.0
//
// Who frees what libpq has made? These do.
#pragma once

#include <libpq-fe.h>

#include <memory>

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

struct Freeing {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
    void operator()(PGresult* result) const noexcept { PQclear(result); }
    void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};

using ConnectionHandle = std::unique_ptr<PGconn, Freeing>;
using ResultHandle = std::unique_ptr<PGresult, Freeing>;
using OptionsHandle = std::unique_ptr<PQconninfoOption, Freeing>;

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
