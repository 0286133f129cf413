// SPDX-License-Identifier: Apache-2.0
#include "load/target/cosmos/cosmos_ledger_items.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "load/source/json_record.hpp"
#include "load/target/ledger_format.hpp"
#include "load/target/ledger_ranges.hpp"
#include "perdure/cosmos/wire/document.hpp"
#include "perdure/try.hpp"
#include "text/json_text.hpp"

namespace tool::load {

using namespace perdure;

namespace {

Failure unreadable() {
    return {.cause = Cause::corrupt,
            .effect = Effect::none,
            .retry_after = never,
            .code = "ledger-damaged",
            .message = "an item of the ledger cannot be read: it cannot be told what was loaded"};
}

std::string text_of(JsonLine line) {
    std::string text = std::move(line).end();
    text.pop_back();  // the line's end
    return text;
}

std::string ranges_text(const std::vector<Range>& ranges) {
    std::string text = "[";
    for (const Range& range : ranges) {
        text += text.size() > 1 ? ",[" : "[";
        for (std::size_t i = 0; i < range_fields.size(); ++i)
            text += (i > 0 ? "," : "") + std::to_string(range.*range_fields[i]);
        text += ']';
    }
    return text + ']';
}

// A list of lists of numbers: thirteen, or the nine that version 0.1 wrote.
Result<std::vector<Range>> ranges_of(std::string_view text) {
    std::vector<Range> ranges;
    std::size_t field = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == ']' && field != 0) {
            if (field != range_fields.size() && field != first_range_fields)
                return fail(unreadable());
            field = 0;
        }
        if (c < '0' || c > '9') {
            ++at;
            continue;
        }
        if (field == range_fields.size()) return fail(unreadable());
        if (field == 0) ranges.emplace_back();
        const char* const end = text.data() + text.size();
        const auto [behind, error] =
            std::from_chars(text.data() + at, end, ranges.back().*range_fields[field]);
        if (error != std::errc{}) return fail(unreadable());
        at = static_cast<std::size_t>(behind - text.data());
        ++field;
    }
    if (field != 0) return fail(unreadable());
    PERDURE_TRY(check_apart(ranges));
    return ranges;
}

std::string to_hex(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string hex;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        hex.append(1, digits[byte / 16u]).append(1, digits[byte % 16u]);
    }
    return hex;
}

std::string from_hex(std::string_view hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        unsigned int byte = 0;
        std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

Result<std::string> text_in(const cosmos::Document& item, std::string_view path) {
    auto text = item.string_at(path);
    if (!text) return fail(unreadable());
    return *std::move(text);
}

Result<std::uint64_t> number_in(const cosmos::Document& item, std::string_view path) {
    const auto number = item.integer_at(path);
    if (!number || *number < 0) return fail(unreadable());
    return static_cast<std::uint64_t>(*number);
}

}  // namespace

std::string entry_item(const std::string& load, const CosmosEntry& entry) {
    JsonLine line;
    line.text("id", cosmos_entry_id)
        .text("load", load)
        .text("holder", entry.holder)
        .text("generation", entry.generation)
        .raw("head_bytes", std::to_string(entry.source.head_bytes))
        .text("head", entry.source.head)
        .raw("rows_before", std::to_string(entry.source.rows_before))
        .text("format", format_name(entry.source.format))
        .text("header", entry.source.header);
    if (entry.id_from) line.text("id_from", *entry.id_from);
    line.raw("ranges", ranges_text(entry.ranges));
    return text_of(std::move(line));
}

Result<CosmosEntry> read_entry_item(std::string_view json) {
    const cosmos::Document item{json};
    CosmosEntry entry;
    PERDURE_TRY_VALUE(entry.holder, text_in(item, "/holder"));
    PERDURE_TRY_VALUE(entry.generation, text_in(item, "/generation"));
    PERDURE_TRY_VALUE(entry.source.head_bytes, number_in(item, "/head_bytes"));
    PERDURE_TRY_VALUE(entry.source.head, text_in(item, "/head"));
    PERDURE_TRY_VALUE(entry.source.rows_before, number_in(item, "/rows_before"));
    PERDURE_TRY_VALUE(const std::string format, text_in(item, "/format"));
    entry.source.format = format_named(format);
    PERDURE_TRY_VALUE(entry.source.header, text_in(item, "/header"));
    entry.id_from = item.string_at("/id_from");
    PERDURE_TRY_VALUE(entry.ranges, ranges_of(item.text_at("/ranges").value_or("x1")));
    return entry;
}

std::string rejected_id(std::string_view generation, std::uint64_t offset) {
    return "rejected-" + std::string{generation} + '-' + std::to_string(offset);
}

// Bytes that are no text stand there as hexadecimal digits.
std::string rejected_item(const std::string& load, std::string_view generation,
                          const KeptRejection& rejection) {
    std::string record = rejection.record.substr(0, most_of_record_in_cosmos);
    std::string reason = rejection.reason;
    if (record.size() < rejection.record.size())
        reason +=
            "; only its first " + std::to_string(most_of_record_in_cosmos) + " bytes are kept";
    const bool text = is_utf8(record);
    JsonLine line;
    line.text("id", rejected_id(generation, rejection.offset))
        .text("load", load)
        .text("kind", "rejected")
        .text("generation", generation)
        .raw("at", std::to_string(rejection.offset))
        .raw("line", std::to_string(rejection.line))
        .text("reason", reason)
        .text("format", format_name(rejection.format))
        .text(text ? "record" : "record_hex", text ? record : to_hex(record));
    return text_of(std::move(line));
}

Result<KeptRejection> read_rejected_item(std::string_view json) {
    const cosmos::Document item{json};
    KeptRejection kept;
    PERDURE_TRY_VALUE(kept.offset, number_in(item, "/at"));
    PERDURE_TRY_VALUE(kept.line, number_in(item, "/line"));
    PERDURE_TRY_VALUE(kept.reason, text_in(item, "/reason"));
    PERDURE_TRY_VALUE(const std::string format, text_in(item, "/format"));
    kept.format = format_named(format);
    if (const auto hex = item.string_at("/record_hex")) {
        kept.record = from_hex(*hex);
        return kept;
    }
    PERDURE_TRY_VALUE(kept.record, text_in(item, "/record"));
    return kept;
}

}  // namespace tool::load
