// SPDX-License-Identifier: Apache-2.0
#include "load/source/rejected_file.hpp"

#include <utility>

#include "perdure/try.hpp"

namespace tool::load {

namespace {

constexpr std::size_t written_at_once = std::size_t{256} * 1024;

}  // namespace

Result<RejectedFile> RejectedFile::open(std::string wished) {
    PERDURE_TRY_VALUE(FreshFile file, FreshFile::beside(std::move(wished)));
    return RejectedFile{std::move(file)};
}

Result<void> RejectedFile::flush() {
    PERDURE_TRY(file_.append(waiting_));
    waiting_.clear();
    return {};
}

Result<void> RejectedFile::add(const std::string& file, const KeptRejection& rejection) {
    waiting_ += rejected_line(file, rejection);
    holds_any_ = true;
    return waiting_.size() < written_at_once ? Result<void>{} : flush();
}

Result<std::optional<FreshFile>> RejectedFile::finish() && {
    if (!holds_any_) return std::optional<FreshFile>{};
    PERDURE_TRY(flush());
    PERDURE_TRY(file_.settle());
    return std::optional<FreshFile>{std::move(file_)};
}

}  // namespace tool::load
