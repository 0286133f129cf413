// SPDX-License-Identifier: Apache-2.0
#include "load/target/dynamodb/dynamodb_ledger_items.hpp"
#include "load/target/ledger_format.hpp"

#include <array>
#include <utility>

#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;
using dynamodb::Item;

namespace {

constexpr std::array<std::pair<const char*, std::uint64_t Range::*>, 13> named_range_fields{
    {{"begin", &Range::begin},
     {"end", &Range::end},
     {"first_line", &Range::first_line},
     {"lines", &Range::lines},
     {"records", &Range::records},
     {"written", &Range::written},
     {"present", &Range::present},
     {"rejected", &Range::rejected},
     {"reached", &Range::reached},
     {"digest_high", &Range::digest_high},
     {"digest_low", &Range::digest_low},
     {"written_at", &Range::written_at},
     {"version", &Range::version}}};

std::string zero_padded(std::uint64_t number, std::size_t width) {
    std::string digits = std::to_string(number);
    return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

}  // namespace

Item ledger_key(const std::string& id, std::string at) {
    Item key;
    key.append("id", id);
    key.append("at", std::move(at));
    return key;
}

std::string fence_name(std::size_t number) { return "fence#" + zero_padded(number, 2); }

std::string range_prefix(std::string_view generation) {
    return "range#" + std::string{generation} + '#';
}

std::string rejected_prefix(std::string_view generation) {
    return "rejected#" + std::string{generation} + '#';
}

std::string place_name(std::string prefix, std::uint64_t offset) {
    constexpr std::size_t digits_of_any = 20;
    return std::move(prefix) + zero_padded(offset, digits_of_any);
}

void write_source(const SourceEntry& source, Item& into) {
    into.set("head_bytes", source.head_bytes)
        .set("head", source.head)
        .set("rows_before", source.rows_before)
        .set("format", format_name(source.format))
        .set("header", source.header);
}

Result<void> read_source(const Item& item, SourceEntry& into) {
    PERDURE_TRY_VALUE(into.head_bytes, item.get<std::uint64_t>("head_bytes"));
    PERDURE_TRY_VALUE(into.head, item.get<std::string>("head"));
    PERDURE_TRY_VALUE(into.rows_before, item.get<std::uint64_t>("rows_before"));
    PERDURE_TRY_VALUE(const std::string format, item.get<std::string>("format"));
    into.format = format_named(format);
    PERDURE_TRY_VALUE(into.header, item.get<std::string>("header"));
    return {};
}

void write_range(const Range& range, Item& into) {
    for (const auto& [name, field] : named_range_fields) into.set(name, range.*field);
}

Result<Range> read_range(const Item& item) {
    Range range;
    for (std::size_t i = 0; i < named_range_fields.size(); ++i) {
        const auto& [name, field] = named_range_fields[i];
        if (i >= first_range_fields && item.find(name) == nullptr) continue;
        PERDURE_TRY_VALUE(range.*field, item.get<std::uint64_t>(name));
    }
    return range;
}

void write_rejection(const KeptRejection& rejection, Item& into) {
    std::string reason = rejection.reason;
    if (rejection.record.size() > most_of_record)
        reason += "; only its first " + std::to_string(most_of_record) + " bytes are kept";
    into.set("offset", rejection.offset)
        .set("line", rejection.line)
        .set("reason", std::move(reason))
        .set("format", format_name(rejection.format))
        .set("record", dynamodb::Binary{rejection.record.substr(0, most_of_record)});
}

Result<KeptRejection> read_rejection(const Item& item) {
    KeptRejection kept;
    PERDURE_TRY_VALUE(kept.offset, item.get<std::uint64_t>("offset"));
    PERDURE_TRY_VALUE(kept.line, item.get<std::uint64_t>("line"));
    PERDURE_TRY_VALUE(kept.reason, item.get<std::string>("reason"));
    PERDURE_TRY_VALUE(const std::string format, item.get<std::string>("format"));
    kept.format = format_named(format);
    PERDURE_TRY_VALUE(const dynamodb::Binary record, item.get<dynamodb::Binary>("record"));
    kept.record = record.bytes();
    return kept;
}

}  // namespace tool::load
