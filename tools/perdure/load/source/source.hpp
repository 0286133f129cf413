// SPDX-License-Identifier: Apache-2.0
//
// Where do records come from? A file, packed or not, or standard input; read forward, record by record,
// and from any place where a record begins.
//
//     auto source = Source::open({.path = "orders.csv.gz"});
//     (*source)->skip_to(mark);                       // what was loaded before
//     while (*(*source)->next(batch, limits)) …
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load/source/batch.hpp"
#include "load/source/content_hash.hpp"
#include "load/source/reading.hpp"
#include "load/source/source_bytes.hpp"
#include "perdure/result.hpp"

namespace tool::load {

struct SourceOptions {
    std::string path{};  // "-": standard input
    // Nothing: by the name (.gz and .zst are looked through) and the first byte. json_array: JSON of either kind,
    // by the first byte.
    std::optional<Format> format{};
    // Of CSV. Nothing: a tab where the name ends in .tsv, else guessed from the beginning.
    std::optional<char> separator{};
    std::size_t longest_record = std::size_t{16} << 20u;
};

struct Mark {
    std::uint64_t offset = 0;
    std::uint64_t line = 1;  // of the record that begins there
};

// Used by one thread at a time; `consumed` may be asked by any. Failures name the file; cause not_found
// or forbidden for one that cannot be opened, corrupt for gzip or zstd that ends too early or is broken,
// unavailable for a read that failed, invalid for a directory, for a format that is not read here, and for a CSV header that
// cannot be read or names a column twice. Records before a broken place are given out first.
class Source {
public:
    [[nodiscard]] static Result<std::unique_ptr<Source>> open(const SourceOptions& options);
    virtual ~Source() = default;

    [[nodiscard]] virtual const std::string& path() const noexcept = 0;
    [[nodiscard]] virtual Format format() const noexcept = 0;
    [[nodiscard]] virtual char separator() const noexcept = 0;  // of CSV
    // It was guessed, and is no comma.
    [[nodiscard]] virtual bool separator_is_guess() const noexcept = 0;
    [[nodiscard]] virtual const Header& header() const noexcept = 0;
    // Where the first record begins: behind a byte order mark and a CSV header.
    [[nodiscard]] virtual Mark first() const noexcept = 0;
    // Lies there unpacked, so that offsets are those of the file.
    [[nodiscard]] virtual bool seekable() const noexcept = 0;
    // Bytes of the file as it lies there, and how many of them were read: for progress only. Nothing
    // where there is no telling.
    [[nodiscard]] virtual std::optional<std::uint64_t> size() const noexcept = 0;
    [[nodiscard]] virtual std::uint64_t consumed() const noexcept = 0;
    // Of the open file, as it was when it was opened, and as it is now; nothing where it is none.
    [[nodiscard]] virtual std::optional<FileStamp> opened() const noexcept = 0;
    [[nodiscard]] virtual std::optional<FileStamp> now() const noexcept = 0;
    // 16 hexadecimal digits over up to the first `bytes` unpacked bytes; nothing is consumed by it.
    // Fewer when the input is shorter, and never more than 64 KiB: `bytes` says how many it was.
    struct Head {
        std::uint64_t bytes = 0;
        std::string digest{};
    };
    [[nodiscard]] virtual Result<Head> head(std::uint64_t bytes) = 0;

    // The first records, as `next` would give them, without taking them. Before next and skip_to only.
    [[nodiscard]] virtual Result<bool> sample(Batch& into, const BatchLimits& limits) = 0;

    // Only forward, by reading. Failure invalid when the input ends before the mark; code
    // "record-went-on" when the record before the mark did not end there.
    [[nodiscard]] virtual Result<void> skip_to(Mark mark) = 0;
    // The same by a seek where the file allows one; `before` is the hash of all bytes before the mark.
    [[nodiscard]] virtual Result<void> resume_at(Mark mark, const ContentHash& before) = 0;
    // Where next() goes on, and the digest of all bytes before.
    [[nodiscard]] virtual std::uint64_t offset() const noexcept = 0;
    [[nodiscard]] virtual ContentDigest digest() const = 0;
    // The next whole records; false when there are none left before `limits.until`.
    [[nodiscard]] virtual Result<bool> next(Batch& into, const BatchLimits& limits) = 0;
};

// What a user's list of names means: patterns (* ? [..]) are expanded in order of name; a name that is
// there is itself even if it looks like a pattern. Failure not_found for one that matches nothing.
[[nodiscard]] Result<std::vector<std::string>> expand(const std::vector<std::string>& names);

}  // namespace tool::load
