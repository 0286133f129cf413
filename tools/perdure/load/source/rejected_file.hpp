// SPDX-License-Identifier: Apache-2.0
//
// Where do records go that could not be loaded? Into a side file of JSON lines, each with its place and
// the reason, which can be repaired and loaded again:
//
//     {"perdure.rejected":{"file":"a.jsonl","line":7,"reason":"…"},"record":{"id":"x"}}
//     {"perdure.rejected":{"file":"a.csv","line":9,"reason":"…","from":"csv"},"record":{"id":"x"}}
//     {"perdure.rejected":{"file":"a.jsonl","line":8,"reason":"…"},"text":"{\"id\":"}
//
// `text` is what cannot be read as a record; once it is repaired it is read as JSON. Where it was not
// UTF-8, "bytes" holds it in base64, and keeps it from being loaded until it is taken away. "cut":true
// says that only the beginning of a record too long is here.
#pragma once

#include <optional>
#include <string>

#include "load/source/fresh_file.hpp"
#include "load/target/target.hpp"
#include "perdure/result.hpp"

namespace tool::load {

// One owner, one thread. Without finish() nothing has happened.
class RejectedFile {
public:
    // Of the folder of `wished`. Failure forbidden, not_found, or unavailable when it cannot be written there.
    [[nodiscard]] static Result<RejectedFile> open(std::string wished);

    [[nodiscard]] Result<void> add(const std::string& file, const KeptRejection& rejection);
    // All of it on the disk, for a name of its own; nothing when nothing was added.
    [[nodiscard]] Result<std::optional<FreshFile>> finish() &&;

private:
    explicit RejectedFile(FreshFile file) noexcept : file_{std::move(file)} {}
    [[nodiscard]] Result<void> flush();

    FreshFile file_;
    std::string waiting_{};
    bool holds_any_ = false;
};

// One line of it, with its end.
[[nodiscard]] std::string rejected_line(const std::string& file, const KeptRejection& rejection);

}  // namespace tool::load
