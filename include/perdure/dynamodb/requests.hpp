// SPDX-License-Identifier: Apache-2.0
//
// What can be asked of DynamoDB? Everything, in one include.
//
//     #include "perdure/dynamodb/requests.hpp"
//     const auto got = orders.send(dynamodb::GetItem{"orders", {{"pk", "o#1"}}});
#pragma once

#include "perdure/dynamodb/any_operation.hpp"
#include "perdure/dynamodb/batch_get.hpp"
#include "perdure/dynamodb/batch_write.hpp"
#include "perdure/dynamodb/client.hpp"
#include "perdure/dynamodb/counted.hpp"
#include "perdure/dynamodb/create_once.hpp"
#include "perdure/dynamodb/create_table.hpp"
#include "perdure/dynamodb/delete_item.hpp"
#include "perdure/dynamodb/delete_table.hpp"
#include "perdure/dynamodb/describe_table.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/dynamodb/list_tables.hpp"
#include "perdure/dynamodb/pages.hpp"
#include "perdure/dynamodb/put_item.hpp"
#include "perdure/dynamodb/query.hpp"
#include "perdure/dynamodb/scan.hpp"
#include "perdure/dynamodb/transact_get.hpp"
#include "perdure/dynamodb/transact_write.hpp"
#include "perdure/dynamodb/update_item.hpp"
#include "perdure/dynamodb/versioned.hpp"
#include "perdure/dynamodb/wait.hpp"
