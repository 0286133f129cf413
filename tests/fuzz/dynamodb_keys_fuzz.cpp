// SPDX-License-Identifier: Apache-2.0
//
// Bytes become the answer of a credential_process, of a container's or of an instance's credentials
// service. It holds keys or is refused, and a refusal shows nothing of what it held: the word CANARY
// stands for a secret in the seeds.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dynamodb/credentials_json.hpp"
#include "memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace perdure::dynamodb;
    using fuzz::must;
    if (size == 0) return 0;
    constexpr KeysFrom kinds[] = {KeysFrom::process, KeysFrom::container, KeysFrom::instance};
    const std::string_view json{reinterpret_cast<const char*>(data) + 1, size - 1};
    const auto keys = keys_from_json(json, kinds[data[0] % 3]);
    if (keys) {
        must(!keys->id.empty() && !keys->secret.empty(), "keys are not empty");
        return 0;
    }
    const std::string_view said = keys.error().message;
    must(!said.empty(), "a refusal has words");
    must(fuzz::printable_lines(said), "a refusal can be printed");
    must(said.find("CANARY") == std::string_view::npos, "a refusal shows no secret");
    return 0;
}
