// SPDX-License-Identifier: Apache-2.0
//
// A file that appears under its name whole or not at all, and never in the place of another one. Until
// then it lies beside it under a name that cannot be foreseen, so in a folder that others may write to
// nobody can put a link or a pipe there first. Readable by its owner only.
//
//     auto file = FreshFile::beside("orders.rejected.jsonl");
//     file->append(lines); file->settle();
//     if (!*file->take("orders.rejected.jsonl")) …    // something of that name is there
#pragma once

#include <string>
#include <string_view>

#include "perdure/result.hpp"

namespace tool::load {

using perdure::Result;

// One owner, one thread. Without a name it is gone at its end. Failures are not_found, forbidden,
// exhausted (the disk is full) or unavailable.
class FreshFile {
public:
    [[nodiscard]] static Result<FreshFile> beside(std::string name);
    FreshFile(FreshFile&& other) noexcept;
    FreshFile& operator=(FreshFile&&) = delete;
    ~FreshFile();

    [[nodiscard]] Result<void> append(std::string_view bytes);
    // On the disk, so that a power cut leaves no empty file under the name it gets next.
    [[nodiscard]] Result<void> settle();

    // False: something else has that name, a link that leads nowhere included.
    [[nodiscard]] Result<bool> take(const std::string& name);
    // False: what has that name is no plain file, or this file does not begin with all of it, or another process is
    // replacing it. Links are not followed and pipes not waited for.
    [[nodiscard]] Result<bool> replace(const std::string& name);

private:
    FreshFile(int descriptor, std::string name, std::string written) noexcept;
    [[nodiscard]] bool begins_with(int old, const std::string& name) const;
    [[nodiscard]] Result<bool> took(const std::string& name, int error);

    int descriptor_;
    std::string name_;     // for failures
    std::string written_;  // empty: it has its name
};

}  // namespace tool::load
