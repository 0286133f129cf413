// SPDX-License-Identifier: Apache-2.0
#include "load/engine/crew.hpp"

#include <algorithm>
#include <utility>

#include "load/engine/of_input.hpp"
#include "load/source/json_record_fault.hpp"
#include "perdure/time/start_thread.hpp"
#include "text/thousands.hpp"

namespace tool::load {

using namespace perdure;

namespace {

// Where a batch can be parted before a record. A line begins there; in an array the element before ends
// there, since the comma belongs to the element that follows.
Mark border_before(const Batch& batch, std::size_t record) {
    if (record == 0) return {batch.begin, batch.first_line};
    if (record == batch.records.size()) return {batch.end, batch.first_line + batch.lines};
    const Slice& next = batch.records[record];
    if (batch.format != Format::json_array) return {batch.offset(next), next.line};
    const Slice& last = batch.records[record - 1];
    const auto lines = std::ranges::count(batch.text(last), '\n');
    return {batch.begin + last.end, last.line + static_cast<std::uint64_t>(lines)};
}

Range range_of(const Batch& batch, std::size_t from, std::size_t to) {
    const Mark begin = border_before(batch, from);
    const Mark end = border_before(batch, to);
    Range range;
    range.begin = begin.offset;
    range.end = end.offset;
    range.first_line = begin.line;
    range.lines = end.line - begin.line;
    range.records = to - from;
    ContentDigest digest = batch.digest;
    if (to != batch.records.size()) {
        ContentHash hash = batch.before;
        hash.add(std::string_view{batch.bytes}.substr(0, end.offset - batch.begin));
        digest = hash.digest();
    }
    range.digest_high = digest.high;
    range.digest_low = digest.low;
    return range;
}

// A record of CSV may end inside of its quotes. An object of JSON ends with a brace. One without a line end behind it, and without the brace, is what
// a copy that was cut off leaves, or a log that is being written: the rest may yet come.
bool ends_midway(const Batch& batch) {
    if (batch.records.empty()) return false;
    const Slice& slice = batch.records.back();
    if (batch.format == Format::json_array) return false;  // its source fails there
    if (batch.format == Format::csv) return slice.unfinished;
    const std::string_view last = batch.text(slice);
    const std::size_t end = last.find_last_not_of(" \t\r");
    if (batch.bytes.back() == '\n' || slice.too_long || end == std::string_view::npos) return false;
    const JsonScan scan = scan_whole_json(last);
    return !scan.good() && scan.end > end;
}

Failure midway() {
    return {.cause = Cause::corrupt,
            .effect = Effect::none,
            .origin = Origin::application,
            .dependency = input_mark,
            .code = "cut-off",
            .message =
                "the input ends in the middle of this record; everything before it is loaded. "
                "Load the whole input, or end the line to have it rejected"};
}

// Of the last record that could not be read among these.
std::string reason_in(const Rows& rows, std::size_t from, std::size_t to) {
    std::string reason;
    for (const Rejected& one : rows.rejected)
        if (one.record >= from && one.record < to) reason = one.reason;
    return reason;
}

// How many records at the end of [from, to) could not be read.
std::uint64_t rejected_before(const Rows& rows, std::size_t from, std::size_t to) {
    std::uint64_t count = 0;
    std::size_t next = from;
    for (const Rejected& one : rows.rejected) {
        if (one.record < from || one.record >= to) continue;
        count = one.record == next ? count + 1 : 1;
        next = one.record + 1;
    }
    return next == to ? count : 0;
}

// Without a key --again would write every record once more, and is refused.
Failure too_many_rejected(std::uint64_t in_a_row, const std::string& reason, bool has_key) {
    const std::string last = reason.empty() ? "" : ", the last because: " + reason;
    const std::string cure =
        has_key ? "the same command with --again loads the rejected ones too"
                : "the same command goes on, and loading the file of rejected records itself "
                  "brings these";
    return {.cause = Cause::invalid,
            .effect = Effect::none,
            .code = "rejected-in-a-row",
            .message = thousands(in_a_row) + " records in a row were rejected" + last +
                       ". Is the table made for these records? When it is mended, " + cure +
                       "; --max-rejected N allows more"};
}

// Tells the status line that the worker looks for a refused record, from the first refusal on.
class Halving {
public:
    explicit Halving(Tally& tally) noexcept : tally_{tally} {}
    Halving(const Halving&) = delete;
    Halving& operator=(const Halving&) = delete;
    ~Halving() {
        if (begun_) --tally_.halving;
    }
    void begin() noexcept {
        if (!std::exchange(begun_, true)) ++tally_.halving;
    }

private:
    Tally& tally_;
    bool begun_ = false;
};

std::string place_of(const Feed& feed, const Batch& batch, std::size_t record) {
    std::string place = feed.inputs()[batch.source].options.path;
    if (place == "-") place = "standard input";
    const bool end = record >= batch.records.size();
    const std::uint64_t line = end ? batch.first_line + batch.lines : batch.records[record].line;
    return place + ':' + std::to_string(line);
}

}  // namespace

Crew::Crew(Target& target, Feed& feed, const Schema& schema, Tally& tally, CrewOptions options)
    : target_{target},
      feed_{feed},
      schema_{schema},
      tally_{tally},
      pace_{options.workers},
      at_work_{options.workers},
      most_rejected_{options.most_rejected} {
    tally_.workers = options.workers;
    for (int i = 0; i < options.workers; ++i) {
        auto started = start_thread([this] { work(); });
        if (started) {
            workers_.push_back(*std::move(started));
            continue;
        }
        // Fewer workers are slower, and none at all cannot load.
        if (workers_.empty()) give_up(std::move(started.error()), {});
        at_work_ -= options.workers - i;
        tally_.workers -= options.workers - i;
        return;
    }
}

Crew::~Crew() {
    if (!workers_.empty()) drop();
    for (std::jthread& worker : workers_) worker.join();
}

void Crew::drop() noexcept {
    no_more_.request_stop();
    dropped_.request_stop();
}

Ending Crew::end() {
    for (std::jthread& worker : workers_) worker.join();
    workers_.clear();
    return std::move(ending_);
}

void Crew::give_up(Failure failure, std::string where) {
    no_more_.request_stop();
    const std::lock_guard lock{mutex_};
    // The first reason is the one to tell; what the others meet afterwards mostly follows from it.
    if (!ending_.failure) ending_ = {std::move(failure), std::move(where)};
}

void Crew::work() {
    Batch batch;
    Rows rows;
    while (!no_more_.stop_requested()) {
        const std::uint64_t ticket = pace_.enter(no_more_.get_token());
        const std::uint64_t throttled = target_.counts().throttled;
        const bool more = !no_more_.stop_requested() && take_and_write(batch, rows);
        const bool slower = target_.counts().throttled > throttled;
        pace_.leave(ticket, slower ? SendEnd::throttled : SendEnd::well);
        if (!more) break;
    }
    --tally_.workers;
    --at_work_;
}

bool Crew::take_and_write(Batch& batch, Rows& rows) {
    auto took = feed_.take(batch);
    if (!took) give_up(std::move(took.error()), feed_.current());
    if (!took || !*took) return false;
    const bool good = bear_rejections(batch, 0) && deal_with(batch, rows);
    feed_.leave(batch.source);
    return good;
}

// A batch that the target refuses for a record in it is halved until that record stands alone.
bool Crew::deal_with(const Batch& batch, Rows& rows) {
    read_rows(batch, feed_.header(batch.source), schema_, rows);
    const bool cut = ends_midway(batch);
    const std::size_t end = batch.records.size() - (cut ? 1 : 0);
    const std::size_t bearable = std::min(end, end_of_bearable(rows));
    std::vector<Piece> pieces;
    // Another worker may have loaded a record meanwhile, and it goes on.
    if (bearable < end) pieces.push_back({bearable, end});
    pieces.push_back({0, bearable});
    Halving halving{tally_};
    while (!pieces.empty()) {
        const Piece piece = pieces.back();
        pieces.pop_back();
        if (piece.from == piece.to && cut) continue;
        auto written = write(batch, rows, piece);
        const bool refused = !written && written.error().code == "record";
        if (refused && piece.to - piece.from > 1) {
            halving.begin();
            const std::size_t middle = piece.from + (piece.to - piece.from) / 2;
            pieces.push_back({middle, piece.to});
            pieces.push_back({piece.from, middle});
            continue;
        }
        std::string reason = refused ? std::move(written.error().message) : std::string{};
        if (refused) written = reject(batch, rows, piece.from, reason);
        if (written) {
            if (reason.empty()) reason = reason_in(rows, piece.from, piece.to);
            count_rejections(*written, reason, rejected_before(rows, piece.from, piece.to));
            auto noted = feed_.done(batch.source, *written);
            // At the end of an input there is nothing left that could be spared.
            if (noted && (pieces.empty() || bear_rejections(batch, piece.to))) continue;
            if (noted) return false;
            give_up(std::move(noted.error()), place_of(feed_, batch, piece.to));
            return false;
        }
        give_up(std::move(written.error()), place_of(feed_, batch, piece.from));
        return false;
    }
    if (cut) give_up(midway(), place_of(feed_, batch, batch.records.size() - 1));
    return !cut;
}

void Crew::count_rejections(const Range& written, const std::string& reason, std::uint64_t at_end) {
    const std::lock_guard lock{mutex_};
    if (written.written + written.present > 0) rejected_in_a_row_ = at_end;
    else rejected_in_a_row_ += written.rejected;
    if (!reason.empty()) last_reason_ = reason;
}

// Behind the record with which too many could not be read, one after the other.
std::size_t Crew::end_of_bearable(const Rows& rows) {
    std::uint64_t in_a_row = 0;
    {
        const std::lock_guard lock{mutex_};
        in_a_row = rejected_in_a_row_;
    }
    std::size_t next = 0;
    for (const Rejected& one : rows.rejected) {
        if (one.record != next) in_a_row = 0;
        next = one.record + 1;
        if (++in_a_row >= most_rejected_ && most_rejected_ > 0) return next;
    }
    return SIZE_MAX;
}

bool Crew::bear_rejections(const Batch& batch, std::size_t next) {
    std::uint64_t in_a_row = 0;
    std::string reason;
    {
        const std::lock_guard lock{mutex_};
        in_a_row = rejected_in_a_row_;
        reason = last_reason_;
    }
    if (most_rejected_ == 0 || in_a_row < most_rejected_) return true;
    give_up(too_many_rejected(in_a_row, reason, schema_.key.has_value()),
            place_of(feed_, batch, next));
    return false;
}

Result<Range> Crew::write(const Batch& batch, const Rows& rows, const Piece& piece) {
    const auto rows_from = std::ranges::lower_bound(rows.records, piece.from);
    const auto rows_to = std::ranges::lower_bound(rows.records, piece.to);
    const auto from = std::ranges::lower_bound(rows.rejected, piece.from, {}, &Rejected::record);
    const auto to = std::ranges::lower_bound(rows.rejected, piece.to, {}, &Rejected::record);
    Order order{.source = &feed_.entry(batch.source),
                .batch = &batch,
                .rows = &rows,
                .first = static_cast<std::size_t>(rows_from - rows.records.begin()),
                .count = static_cast<std::size_t>(rows_to - rows_from),
                .rejected = {from, to},
                .range = range_of(batch, piece.from, piece.to)};
    feed_.stamp(batch.source, order.range);
    return send(order);
}

Result<Range> Crew::reject(const Batch& batch, const Rows& rows, std::size_t record,
                           std::string reason) {
    const Rejected rejected{.record = record, .reason = std::move(reason)};
    Order order{.source = &feed_.entry(batch.source),
                .batch = &batch,
                .rows = &rows,
                .rejected = {&rejected, 1},
                .range = range_of(batch, record, record + 1)};
    feed_.stamp(batch.source, order.range);
    return send(order);
}

// When the room could not find out what became of a transaction, doing it again does: either it is
// written now, or its range stands in the ledger and is ours.
Result<Range> Crew::send(const Order& order) {
    auto written = target_.write(order, dropped_.get_token());
    if (written || written.error().effect == Effect::none || dropped_.stop_requested())
        return written;
    auto again = target_.write(order, dropped_.get_token());
    if (again || again.error().code != "taken") return again;
    return look_up(order, std::move(again.error()));
}

Result<Range> Crew::look_up(const Order& order, Failure taken) {
    auto done = target_.done(order.source->name);
    if (!done) return done.take_failure();
    for (const Range& range : *done)
        if (range.begin == order.range.begin && range.end == order.range.end &&
            range.records == order.range.records)
            return range;
    return fail(std::move(taken));
}

}  // namespace tool::load
