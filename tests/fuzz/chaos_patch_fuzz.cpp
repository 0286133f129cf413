// SPDX-License-Identifier: Apache-2.0
//
// Two texts with a NUL between them become an item and a patch for the Cosmos DB account in memory. JSON
// that is written and read again must be the same, an item that was patched is an object, and a patch
// that is refused has words.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chaos/cosmos/patch.hpp"
#include "memory_file.hpp"

namespace {

using namespace perdure::chaos::gateway;
using fuzz::must;

// A value that is read again is the same.
std::optional<Json> read(std::string_view text) {
    std::optional<Json> value = Json::parse(text);
    if (!value) return value;
    const std::string written = value->dump();
    const std::optional<Json> again = Json::parse(written);
    must(again.has_value(), "what is written can be read");
    must(again->dump() == written, "what is read again is the same");
    return value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes{reinterpret_cast<const char*>(data), size};
    const std::size_t border = bytes.find('\0');
    std::optional<Json> item = read(bytes.substr(0, border));
    if (border == std::string_view::npos) return 0;
    const std::optional<Json> patch = read(bytes.substr(border + 1));
    if (!item || !item->is_object() || !patch) return 0;

    const Patched patched = apply_patch(*item, *patch);
    must(patched.status == 200 || patched.status == 400 || patched.status == 412,
         "a patch is applied, refused or not wanted");
    must(patched.status != 400 || !patched.message.empty(), "a refusal has words");
    must(patched.status != 200 || item->dump().starts_with('{'), "a patched item is an object");
    return 0;
}
