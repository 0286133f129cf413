// SPDX-License-Identifier: Apache-2.0
//
// How is an answer written to a file, so that whoever reads it finds the old one or the new one,
// and never half of it?
//
//     auto file = AnswerFile::open("prices.json");      // before the request: can it be written?
//     PERDURE_TRY(file->keep(response.body));           // without this the old file stays
//
// A device or a pipe is written to directly.
#pragma once

#include <string>
#include <string_view>

#include "perdure/result_void.hpp"

namespace tool {

using namespace perdure;

// Owned by one thread.
class AnswerFile {
public:
    static Result<AnswerFile> open(const std::string& name);
    AnswerFile(AnswerFile&& other) noexcept;
    AnswerFile& operator=(AnswerFile&&) = delete;
    ~AnswerFile();

    Result<void> keep(std::string_view bytes);

private:
    AnswerFile(int fd, std::string name, std::string written);

    int fd_;
    std::string name_;
    std::string written_;  // beside it, until all is there; empty: written directly
};

}  // namespace tool
