// SPDX-License-Identifier: Apache-2.0
//
// Is whatever can be read as an item written so that it is read the same, with letters and without?
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "perdure/dynamodb/json.hpp"

namespace {

using namespace perdure::dynamodb;

void expect(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(bytes), size};
    if (const auto item = item_from_json(text)) {
        const auto again = item_from_json(to_json(*item));
        expect(again.has_value() && *again == *item);
        expect(key_text(*again) == key_text(*item) && stored_size(*again) == stored_size(*item));
        expect(check(*again).has_value() == check(*item).has_value());
        expect(item_from_plain_json(to_plain_json(*item)).has_value());
    }
    if (const auto item = item_from_plain_json(text)) {
        const auto again = item_from_plain_json(to_plain_json(*item));
        expect(again.has_value() && *again == *item);
        const auto lettered = item_from_json(to_json(*item));
        expect(lettered.has_value() && *lettered == *item);
    }
    if (const auto number = Number::parse(text)) {
        const auto plain = number->canonical();
        expect(plain.has_value() && Number::parse(*plain)->canonical().value() == *plain);
        expect(number->to<double>().has_value());
    }
    return 0;
}
