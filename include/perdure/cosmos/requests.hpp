// SPDX-License-Identifier: Apache-2.0
//
// What can be asked of Cosmos DB? Everything, in one include.
//
//     #include "perdure/cosmos/requests.hpp"
//     const auto got = shop.send(cosmos::ReadItem{{"shop", "orders"}, "o-1", {"c-7"}});
#pragma once

#include "perdure/cxx20.hpp"

#include "perdure/cosmos/batch.hpp"
#include "perdure/cosmos/client.hpp"
#include "perdure/cosmos/containers.hpp"
#include "perdure/cosmos/create_item.hpp"
#include "perdure/cosmos/create_once.hpp"
#include "perdure/cosmos/databases.hpp"
#include "perdure/cosmos/delete_item.hpp"
#include "perdure/cosmos/ensure.hpp"
#include "perdure/cosmos/modify.hpp"
#include "perdure/cosmos/pages.hpp"
#include "perdure/cosmos/patch_item.hpp"
#include "perdure/cosmos/query.hpp"
#include "perdure/cosmos/read_item.hpp"
#include "perdure/cosmos/replace_item.hpp"
#include "perdure/cosmos/replace_versioned.hpp"
#include "perdure/cosmos/upsert_item.hpp"
#include "perdure/cosmos/wire/document.hpp"
