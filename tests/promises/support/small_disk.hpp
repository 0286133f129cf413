// SPDX-License-Identifier: Apache-2.0
//
// A disk of a few megabytes in memory, which can be filled up. Needs root.
#pragma once

#include <string>

#include "live/support/temp_dir.hpp"

namespace perdure::promises {

// Used by one thread.
class SmallDisk {
public:
    // Mounted for that user of the system's. Must outlive the server that has files on it.
    SmallDisk(const std::string& user, int megabytes);
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    ~SmallDisk();

    // Why there is none; empty if there is.
    [[nodiscard]] const std::string& missing() const noexcept { return missing_; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    void fill() const;
    void make_room() const;

private:
    [[nodiscard]] std::string filler() const { return mount_ + "/filler"; }

    live::TempDir home_;
    std::string mount_ = home_.file("disk");
    std::string path_ = mount_ + "/data";
    std::string missing_;
};

}  // namespace perdure::promises
