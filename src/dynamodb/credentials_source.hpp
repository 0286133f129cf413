// SPDX-License-Identifier: Apache-2.0
//
// Where do keys come from that are fetched? One try at a time; who repeats it is not said here.
#pragma once

#include <string>
#include <string_view>

#include "perdure/call/attempt.hpp"
#include "perdure/dynamodb/keys.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Used by one thread.
class KeySource {
public:
    KeySource() = default;
    KeySource(const KeySource&) = delete;
    KeySource& operator=(const KeySource&) = delete;
    virtual ~KeySource();

    // Ends by the attempt's deadline, and soon after its stop.
    virtual Result<Keys> fetch(const Attempt& attempt) = 0;
    // In messages: "the container's endpoint".
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;
    // The longest one try may take.
    [[nodiscard]] virtual Duration longest() const noexcept = 0;
    // So many tries in a row may fail before anybody is told; what no repetition helps is told at once.
    [[nodiscard]] virtual int patience() const noexcept { return 1; }
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
