// SPDX-License-Identifier: Apache-2.0
//
// Where do bytes come from? A file or standard input, unpacked on the way when it begins as gzip or
// zstd does, whatever its name says.
//
//     auto bytes = open_bytes("orders.csv.gz");
//     const auto got = (*bytes)->read(room, sizeof room);      // 0 at the end
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "perdure/result.hpp"

namespace tool::load {

using perdure::Result;

// Which file it is and how it lies there; another one, or one that was written to, differs in some of these.
// Whoever sets a file's time back changes the time of that (`changed`).
struct FileStamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t modified = 0;  // nanoseconds since 1970
    std::int64_t changed = 0;

    // Whether its content may be another: not where it was only renamed or deleted.
    [[nodiscard]] bool same_content(const FileStamp& other) const noexcept {
        return size == other.size && modified == other.modified;
    }
    friend bool operator==(const FileStamp&, const FileStamp&) noexcept = default;
};
// Nothing: there is no such file.
[[nodiscard]] std::optional<FileStamp> stamp_of(const std::string& path) noexcept;

// Used by one thread at a time; `consumed` may be asked by any.
class ByteStream {
public:
    virtual ~ByteStream() = default;
    // At least one byte, or 0 at the end.
    [[nodiscard]] virtual Result<std::size_t> read(char* into, std::size_t room) = 0;
    [[nodiscard]] virtual bool seekable() const noexcept = 0;
    // False: it cannot, and nothing has changed; read on instead.
    [[nodiscard]] virtual Result<bool> seek(std::uint64_t offset) = 0;
    // Of the file as it lies there.
    [[nodiscard]] virtual std::optional<std::uint64_t> size() const noexcept = 0;
    [[nodiscard]] virtual std::uint64_t consumed() const noexcept = 0;
    // Of the open file, as it was when it was opened, and as it is now; nothing where it is none.
    [[nodiscard]] virtual std::optional<FileStamp> opened() const noexcept { return std::nullopt; }
    [[nodiscard]] virtual std::optional<FileStamp> now() const noexcept { return std::nullopt; }
};

// "-": standard input.
[[nodiscard]] Result<std::unique_ptr<ByteStream>> open_bytes(const std::string& path);

// `packed` gives what lies in the file; `path` is for messages.
[[nodiscard]] std::unique_ptr<ByteStream> unpack_gzip(std::unique_ptr<ByteStream> packed,
                                                      std::string path);
// Failure: invalid, with what to do instead, where libzstd was not found when this was built.
[[nodiscard]] Result<std::unique_ptr<ByteStream>> unpack_zstd(std::unique_ptr<ByteStream> packed,
                                                              std::string path);

}  // namespace tool::load
