// SPDX-License-Identifier: Apache-2.0
//
// How are bytes that arrive in pieces given out as whole records? Through a window onto them, which
// holds one batch or one record, whichever is longer, and not much more than that.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "load/source/source.hpp"
#include "load/source/source_bytes.hpp"
#include "load/source/splitting.hpp"

namespace tool::load {

// Threads: as Source.
class RecordSource final : public Source {
public:
    RecordSource(const SourceOptions& options, std::unique_ptr<ByteStream> stream);
    // Looks at the beginning: what format is it, and what does a CSV header say?
    [[nodiscard]] Result<void> begin();

    const std::string& path() const noexcept override { return options_.path; }
    Format format() const noexcept override { return rules_.format; }
    char separator() const noexcept override { return rules_.separator; }
    bool separator_is_guess() const noexcept override { return guessed_ && separator() != ','; }
    const Header& header() const noexcept override { return header_; }
    Mark first() const noexcept override { return first_; }
    bool seekable() const noexcept override { return stream_->seekable(); }
    std::optional<std::uint64_t> size() const noexcept override { return stream_->size(); }
    std::uint64_t consumed() const noexcept override { return stream_->consumed(); }
    std::optional<FileStamp> opened() const noexcept override { return stream_->opened(); }
    std::optional<FileStamp> now() const noexcept override { return stream_->now(); }
    Result<Head> head(std::uint64_t bytes) override;
    Result<bool> sample(Batch& into, const BatchLimits& limits) override;
    Result<void> skip_to(Mark mark) override;
    Result<void> resume_at(Mark mark, const ContentHash& before) override;
    std::uint64_t offset() const noexcept override { return at_.offset; }
    ContentDigest digest() const override { return hash_.digest(); }
    Result<bool> next(Batch& into, const BatchLimits& limits) override;
    // Bytes compared to find where records end; a byte that is compared twice counts twice. For tests: this
    // number grows with the input and not with its square.
    [[nodiscard]] std::uint64_t searched() const noexcept { return searched_; }

private:
    // The record that begins `from` bytes behind the window's begin.
    struct Piece {
        enum class Kind : std::uint8_t {
            record,
            unfinished,
            too_long,
            none,
            full
        } kind = Kind::none;
        std::size_t end = 0;  // behind its line end, from the window's begin
        std::size_t lines = 0;
        // Of an array's element, which has a comma before it.
        std::size_t begin = 0;
        std::size_t begin_lines = 0;
        std::string_view fault{};
    };
    // `most`: where it is too late for a record to end; then the piece is `full`.
    [[nodiscard]] Result<Piece> find(std::size_t from, std::size_t most);
    [[nodiscard]] Result<Piece> find_from(std::size_t from, std::size_t most, Seam& seam);
    // Moves `seam` to where the quotes of the record at `from` are known to be still open and returns that
    // place, from the record's begin; 0 if nothing is known of it.
    [[nodiscard]] std::size_t skip_open_quotes(std::size_t from, Seam& seam);
    void begin_array();
    [[nodiscard]] Result<Piece> find_array_element(std::size_t from, std::size_t most,
                                                   std::uint64_t line);
    enum class Last : std::uint8_t { is_whole, is_too_long };
    struct Collected {
        std::size_t bytes =
            0;  // of the window; behind them lies the record too long, if it is that
        Last last = Last::is_whole;
    };
    [[nodiscard]] Result<Collected> collect(Batch& into, const BatchLimits& limits);
    struct Passed {
        std::uint64_t bytes = 0;
        std::uint64_t lines = 0;
    };
    [[nodiscard]] Result<Passed> pass_line(std::size_t from);
    void show_too_long(Batch& into, std::size_t from) const;

    // Forward to `offset`, by reading what lies between.
    [[nodiscard]] Result<void> pass(std::uint64_t offset);
    // The record before the mark, at whose last byte the window begins, must have ended there.
    [[nodiscard]] Result<void> check_record_end(Mark mark);
    [[nodiscard]] Result<void> read_header();
    [[nodiscard]] Result<void> check_lines() const;
    [[nodiscard]] Result<void> choose_separator();
    [[nodiscard]] Result<bool> fill();  // false at the end
    void note_line_ends(std::size_t fresh) noexcept;
    void make_room();
    void move_on(std::size_t bytes, std::uint64_t lines) noexcept;
    // Takes bytes off the window's begin, into the digest.
    void drop(std::size_t bytes) noexcept;
    [[nodiscard]] std::string_view window() const noexcept {
        return {room_.get() + begin_, filled_ - begin_};
    }

    SourceOptions options_;
    SplitRules rules_{};
    std::unique_ptr<ByteStream> stream_;
    Header header_{};
    bool guessed_ = false;  // the separator
    Mark first_{};
    std::string head_{};

    std::unique_ptr<char[]> room_{};
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t filled_ = 0;
    Mark at_{};           // of begin_
    ContentHash hash_{};  // of everything before begin_
    char before_ = '\0';  // the byte before begin_
    // A record that begins at or behind `from` and is inside of quotes at a line feed before `to` is inside
    // of quotes at `to` as well. Known from an earlier record, whose quotes did not close within the
    // longest record: it was inside of quotes at every line feed, or it would have ended there, and two records
    // that are inside of quotes at one place stay alike. Without this each line of an input whose quotes
    // never close would be searched as far as the longest record goes.
    struct OpenQuotes {
        std::uint64_t from = 0;
        std::uint64_t to = 0;
    };
    OpenQuotes open_quotes_{};
    std::uint64_t searched_ = 0;
    bool ended_ = false;
    std::optional<perdure::Failure> failure_{};  // met behind what is in the window
};

}  // namespace tool::load
