// SPDX-License-Identifier: Apache-2.0
#include "promises/support/small_disk.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <sys/mount.h>
#include <unistd.h>

#include "live/support/sql_server.hpp"

namespace perdure::promises {

namespace fs = std::filesystem;

SmallDisk::SmallDisk(const std::string& user, int megabytes) {
    if (::geteuid() != 0) {
        missing_ = "a small disk needs root";
        return;
    }
    fs::create_directory(mount_);
    const std::string size = "size=" + std::to_string(megabytes) + "m";
    if (::mount("perdure", mount_.c_str(), "tmpfs", 0, size.c_str()) != 0) {
        missing_ = std::string{"refused here: mount: "} + std::generic_category().message(errno);
        return;
    }
    fs::create_directory(path_);
    live::give_to(user, path_);
    // The user passes through these, and reads nothing there.
    for (const std::string& each : {home_.path(), mount_})
        fs::permissions(each, fs::perms::others_exec, fs::perm_options::add);
}

SmallDisk::~SmallDisk() {
    if (missing_.empty()) ::umount2(mount_.c_str(), MNT_DETACH);
}

void SmallDisk::fill() const {
    std::ofstream file{filler(), std::ios::binary};
    const std::string piece(4096, 'x');
    while (file.write(piece.data(), static_cast<std::streamsize>(piece.size())).flush()) {}
}

void SmallDisk::make_room() const { fs::remove(filler()); }

}  // namespace perdure::promises
