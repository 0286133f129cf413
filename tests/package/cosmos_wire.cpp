// SPDX-License-Identifier: Apache-2.0
//
// perdure::cosmos_wire: signs a request and reads a value from an item, without a connection.
#include <cstdio>
#include <string>

#include <perdure/cosmos/wire/document.hpp>
#include <perdure/cosmos/wire/signature.hpp>

using namespace perdure;

int main() {
    const auto key = cosmos::MasterKey::from("bm90IGEgcmVhbCBrZXk=");
    if (!key) return std::puts(to_string(key.error()).c_str()), 1;
    std::string header;
    key->append_authorization(header, {.verb = "GET",
                                       .type = "docs",
                                       .link = "dbs/shop/colls/orders/docs/o-1",
                                       .date = "Fri, 02 Jan 2026 03:04:05 GMT"});
    std::printf("authorization: %s\n", header.c_str());
    const cosmos::Document order{R"({"id": "o-1", "lines": [{"count": 3}]})"};
    return header.starts_with("type%3Dmaster") && order.integer_at("/lines/0/count") == 3 ? 0 : 1;
}
