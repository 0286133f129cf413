// SPDX-License-Identifier: Apache-2.0
//
// Where do rejected records go when --rejected names no file? A device, a pipe of this user, or a
// descriptor that the command was given (/dev/stdout, /dev/fd/N) is written into, not replaced.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "perdure/result.hpp"

namespace tool::load {

// One owner, one thread.
class SideDevice {
public:
    // Nothing: the name is of a file or of a link, or free. Waits for no reader of a pipe. Failure unavailable.
    [[nodiscard]] static perdure::Result<std::optional<SideDevice>> open(const std::string& name);
    SideDevice(SideDevice&& other) noexcept;
    SideDevice& operator=(SideDevice&&) = delete;
    ~SideDevice();

    [[nodiscard]] perdure::Result<void> write(std::string_view bytes) const;

private:
    SideDevice(int descriptor, std::string name) noexcept;

    int descriptor_;
    std::string name_;  // for failures
};

[[nodiscard]] perdure::Failure cannot_write_side(const std::string& name, const std::string& why);

}  // namespace tool::load
