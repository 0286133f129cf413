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

#include <memory>
#include <string>

#include "load/target/target.hpp"
#include "perdure/result.hpp"

namespace tool::load {

// One owner, one thread. Without commit() nothing has happened.
class RejectedFile {
public:
    // Failure forbidden, not_found, or unavailable when it cannot be written there.
    [[nodiscard]] static Result<RejectedFile> open(std::string path);
    RejectedFile(RejectedFile&&) noexcept;
    RejectedFile& operator=(RejectedFile&&) noexcept;
    ~RejectedFile();

    [[nodiscard]] Result<void> add(const std::string& file, const KeptRejection& rejection);
    // Everything appears at once under the name, in place of what was there. When nothing was added,
    // there is no file, and one that was there stays.
    [[nodiscard]] Result<void> commit();

private:
    struct File;
    explicit RejectedFile(std::unique_ptr<File> file) noexcept;
    std::unique_ptr<File> file_;
};

// One line of it, with its end.
[[nodiscard]] std::string rejected_line(const std::string& file, const KeptRejection& rejection);

}  // namespace tool::load
