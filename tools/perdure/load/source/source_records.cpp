// SPDX-License-Identifier: Apache-2.0
#include "load/source/source_records.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "perdure/try.hpp"

namespace tool::load {

namespace {

constexpr std::size_t first_room = std::size_t{1} << 20u;
constexpr std::size_t kept_of_too_long = 1024;

perdure::Fail fault(const std::string& path, const std::string& what) {
    return perdure::fail({.cause = perdure::Cause::invalid,
                          .origin = perdure::Origin::application,
                          .message = path + ": " + what});
}

void start(Batch& into, const SplitRules& rules, const Mark& at) {
    into.format = rules.format;
    into.separator = rules.separator;
    into.begin = into.end = at.offset;
    into.first_line = at.line;
    into.lines = 0;
    into.bytes.clear();
    into.records.clear();
}

}  // namespace

RecordSource::RecordSource(const SourceOptions& options, std::unique_ptr<ByteStream> stream)
    : options_{options},
      stream_{std::move(stream)},
      room_{std::make_unique_for_overwrite<char[]>(first_room)},
      capacity_{first_room} {}

void RecordSource::make_room() {
    if (filled_ < capacity_) return;
    const std::size_t held = filled_ - begin_;
    // Moving a full window by a few bytes at a time would cost more than the memory.
    if (begin_ >= capacity_ / 2) {
        std::memmove(room_.get(), room_.get() + begin_, held);
    } else {
        auto larger = std::make_unique_for_overwrite<char[]>(2 * capacity_);
        std::memcpy(larger.get(), room_.get() + begin_, held);
        room_ = std::move(larger);
        capacity_ *= 2;
    }
    begin_ = 0;
    filled_ = held;
}

Result<bool> RecordSource::fill() {
    if (failure_) return perdure::fail(*failure_);
    if (ended_) return false;
    make_room();
    auto got = stream_->read(room_.get() + filled_, capacity_ - filled_);
    if (!got) {
        failure_ = got.error();
        return got.take_failure();
    }
    filled_ += *got;
    note_line_ends(*got);
    ended_ = *got == 0;
    return !ended_;
}

// The pair of the last byte before and the first of the new ones is looked at too.
void RecordSource::note_line_ends(std::size_t fresh) noexcept {
    if (rules_.format != Format::csv || rules_.has_lone_cr) return;
    const std::string_view held = window();
    rules_.has_lone_cr = has_lone_cr(held.substr(held.size() - std::min(held.size(), fresh + 1)));
}

void RecordSource::drop(std::size_t bytes) noexcept {
    if (bytes > 0) before_ = window()[bytes - 1];
    hash_.add(window().substr(0, bytes));
    begin_ += bytes;
    if (begin_ == filled_) begin_ = filled_ = 0;
}

void RecordSource::move_on(std::size_t bytes, std::uint64_t lines) noexcept {
    drop(bytes);
    at_.offset += bytes;
    at_.line += lines;
}

std::size_t RecordSource::skip_open_quotes(std::size_t from, Seam& seam) {
    const std::uint64_t begin = at_.offset + from;
    if (begin < open_quotes_.from || begin >= open_quotes_.to) return 0;
    const auto known = static_cast<std::size_t>(open_quotes_.to - begin);
    const std::string_view text = window().substr(from, known);
    const std::size_t feed = std::min(text.find('\n'), text.size());
    searched_ += feed;
    if (feed == text.size()) return 0;
    Seam line;
    const bool ends = record_end(text.substr(0, feed + 1), rules_, line).has_value();
    searched_ += line.searched;
    if (ends) return 0;
    seam = line;
    seam.searched = 0;
    seam.at = known;
    return known;
}

Result<RecordSource::Piece> RecordSource::find(std::size_t from, std::size_t most) {
    Seam seam;
    const std::size_t skipped = skip_open_quotes(from, seam);
    // What follows the skipped part is waited for: the window holds nearly all of it.
    auto piece = find_from(from, skipped > 0 ? SIZE_MAX : most, seam);
    searched_ += seam.searched;
    if (!piece || skipped == 0 || piece->end <= from + seam.first_line_end) return piece;
    const std::size_t counted = seam.first_line_end;
    const std::string_view lines = window().substr(from + counted, skipped - counted);
    piece->lines += static_cast<std::size_t>(std::ranges::count(lines, '\n'));
    searched_ += lines.size();
    return piece;
}

Result<RecordSource::Piece> RecordSource::find_from(std::size_t from, std::size_t most,
                                                    Seam& seam) {
    using Kind = Piece::Kind;
    for (;;) {
        // The same bytes are seen whatever pieces they came in, so that a record is always the same.
        const std::string_view text = window().substr(from, options_.longest_record);
        if (const auto end = record_end(text, rules_, seam))
            return Piece{.kind = Kind::record, .end = from + *end, .lines = seam.lines};
        if (text.size() == options_.longest_record) {
            if (!seam.quoted || seam.first_line_end == 0)
                return Piece{.kind = Kind::too_long, .end = from};
            const std::uint64_t begin = at_.offset + from;
            open_quotes_ = {.from = begin, .to = begin + seam.at};
            return Piece{.kind = Kind::record, .end = from + seam.first_line_end, .lines = 1};
        }
        if (from + text.size() > most) return Piece{.kind = Kind::full, .end = from};
        PERDURE_TRY_VALUE(const bool more, fill());
        if (more) continue;
        if (text.empty()) return Piece{.kind = Kind::none, .end = from};
        return Piece{.kind = ends_open(text, seam) ? Kind::unfinished : Kind::record,
                     .end = from + text.size(),
                     .lines = seam.lines};
    }
}

// Whole records from the window's begin on.
Result<RecordSource::Collected> RecordSource::collect(Batch& into, const BatchLimits& limits) {
    using Kind = Piece::Kind;
    std::size_t end = 0;
    while (into.records.size() < limits.records && at_.offset + end < limits.until) {
        const bool holds = !into.records.empty();
        if (!holds && end >= limits.bytes) break;  // blank lines
        const std::size_t most = holds ? limits.bytes : SIZE_MAX;
        const bool array = rules_.format == Format::json_array;
        auto piece = array ? find_array_element(end, most, at_.line + into.lines) : find(end, most);
        if (!piece && holds) break;  // the next call meets it again
        if (!piece) return piece.take_failure();
        if (piece->kind == Kind::too_long && !holds) return Collected{end, Last::is_too_long};
        const bool unfinished = piece->kind == Kind::unfinished;
        if ((piece->kind != Kind::record && !unfinished) || piece->end > most) break;
        const std::string_view record = window().substr(end, piece->end - end);
        if (array)
            into.records.push_back({.begin = piece->begin,
                                    .end = piece->end,
                                    .line = at_.line + into.lines + piece->begin_lines,
                                    .fault = piece->fault});
        else if (!is_blank(record, rules_.format))
            into.records.push_back({.begin = end,
                                    .end = end + without_line_end(record).size(),
                                    .line = at_.line + into.lines,
                                    .unfinished = unfinished});
        end = piece->end;
        into.lines += piece->lines;
    }
    return Collected{end, Last::is_whole};
}

// Through the next line end behind `from` bytes of the window; nobody has to hold what is passed. The
// window begins there afterwards.
Result<RecordSource::Passed> RecordSource::pass_line(std::size_t from) {
    Passed passed{.bytes = from};
    drop(from);
    for (;;) {
        const auto found = line_end(window(), rules_);
        // What may be half of a line end stays until the next byte is there.
        const std::size_t kept = !found && !ended_ && window().ends_with('\r') ? 1 : 0;
        const std::size_t part = found.value_or(window().size() - kept);
        passed.bytes += part;
        passed.lines = found ? 1 : 0;
        drop(part);
        if (found || ended_) return passed;
        PERDURE_TRY(fill());
    }
}

void RecordSource::show_too_long(Batch& into, std::size_t from) const {
    const std::size_t kept = std::min(kept_of_too_long, options_.longest_record);
    into.bytes.assign(window().substr(0, from + kept));
    into.records.push_back(
        {.begin = from, .end = into.bytes.size(), .line = at_.line + into.lines, .too_long = true});
}

Result<bool> RecordSource::next(Batch& into, const BatchLimits& limits) {
    start(into, rules_, at_);
    into.before = hash_;
    PERDURE_TRY_VALUE(const Collected got, collect(into, limits));
    if (got.last == Last::is_too_long) {
        show_too_long(into, got.bytes);
        const std::string_view seen = window().substr(got.bytes, options_.longest_record);
        into.lines += static_cast<std::uint64_t>(std::ranges::count(seen, '\n'));
        PERDURE_TRY_VALUE(const Passed passed, pass_line(got.bytes + seen.size()));
        into.lines += passed.lines;
        into.end = at_.offset += passed.bytes;
        at_.line += into.lines;
        into.digest = hash_.digest();
        return true;
    }
    if (into.records.empty() && got.bytes < limits.bytes) return false;
    into.bytes.assign(window().substr(0, got.bytes));
    into.end = at_.offset + got.bytes;
    move_on(got.bytes, into.lines);
    into.digest = hash_.digest();
    return true;
}

Result<bool> RecordSource::sample(Batch& into, const BatchLimits& limits) {
    start(into, rules_, at_);
    PERDURE_TRY_VALUE(const Collected got, collect(into, limits));
    if (got.last == Last::is_too_long) {
        show_too_long(into, got.bytes);
    } else {
        into.bytes.assign(window().substr(0, got.bytes));
    }
    into.end = at_.offset + into.bytes.size();
    return !into.records.empty();
}

Result<void> RecordSource::pass(std::uint64_t offset) {
    std::uint64_t left = offset - at_.offset;
    while (left > window().size()) {
        left -= window().size();
        drop(window().size());
        PERDURE_TRY_VALUE(const bool more, fill());
        if (!more) return fault(path(), "is shorter than what was loaded of it");
    }
    drop(static_cast<std::size_t>(left));
    at_.offset = offset;
    return {};
}

// What was loaded ended at a line end, or at the end the input had then: where it has grown since, its
// last record may have been only the beginning of one.
Result<void> RecordSource::check_record_end(Mark mark) {
    // An element of an array ends by itself.
    const char last = window().front();
    const bool whole = last == '\n' || rules_.format == Format::json_array ||
                       (last == '\r' && rules_.format == Format::csv);
    drop(1);
    if (!whole && window().empty()) PERDURE_TRY(fill());
    at_ = mark;
    if (whole || window().empty() || window().front() == '\n' || window().front() == '\r')
        return {};
    return perdure::fail(
        {.cause = perdure::Cause::invalid,
         .origin = perdure::Origin::application,
         .code = "record-went-on",
         .message = "its last record, in line " + std::to_string(mark.line) + ", went on"});
}

Result<void> RecordSource::skip_to(Mark mark) {
    if (mark.offset <= first_.offset) mark = first_;
    if (mark.offset < at_.offset) return fault(path(), "is read forward only");
    if (mark.offset == at_.offset) {
        at_ = mark;
        return {};
    }
    PERDURE_TRY(pass(mark.offset - 1));
    if (window().empty()) {
        PERDURE_TRY_VALUE(const bool more, fill());
        if (!more) return fault(path(), "is shorter than what was loaded of it");
    }
    return check_record_end(mark);
}

Result<void> RecordSource::resume_at(Mark mark, const ContentHash& before) {
    if (mark.offset <= at_.offset) return skip_to(mark);
    PERDURE_TRY_VALUE(const bool there, stream_->seek(mark.offset - 1));
    if (!there) return skip_to(mark);
    begin_ = filled_ = 0;
    open_quotes_ = {};
    ended_ = false;
    failure_.reset();
    PERDURE_TRY_VALUE(const bool more, fill());
    if (!more) return fault(path(), "is shorter than what was loaded of it");
    auto ended = check_record_end(mark);
    hash_ = before;
    return ended;
}

}  // namespace tool::load
