// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>
#include <string_view>
#include <type_traits>

#include "perdure/chaos/record.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

namespace {

// What came over the wire is bytes, and JSON is text: what is not plain ASCII is written \u00XX, as
// if the bytes were Latin-1, so that nothing is lost and every line parses.
std::string quoted(std::string_view bytes) {
    std::string text = "\"";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') (text += '\\') += c;
        else if (byte >= 0x20 && byte < 0x7f) text += c;
        else {
            std::array<char, 8> code{};
            std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(byte));
            text += code.data();
        }
    }
    return text + '"';
}

class Object {
public:
    Object& raw(std::string_view name, std::string_view json) {
        if (text_.size() > 1) text_ += ',';
        text_ += quoted(name) + ':';
        text_ += json;
        return *this;
    }
    Object& text(std::string_view name, std::string_view value) { return raw(name, quoted(value)); }
    template <class Number>
    Object& number(std::string_view name, Number value) {
        static_assert(std::is_integral_v<Number>);
        return raw(name, std::to_string(value));
    }
    Object& time(std::string_view name, const std::optional<TimePoint>& at, TimePoint since) {
        if (!at) return raw(name, "null");
        std::array<char, 64> seconds{};
        const auto micros = (*at - since) / 1us;
        std::snprintf(seconds.data(), seconds.size(), "%lld.%06lld",
                      static_cast<long long>(micros / 1'000'000),
                      static_cast<long long>(micros % 1'000'000));
        return raw(name, seconds.data());
    }
    std::string end() && { return std::move(text_) + '}'; }

private:
    std::string text_ = "{";
};

std::string faults_of(const Counters& counters) {
    Object faults;
    for (std::size_t i = 0; i < fault_count; ++i)
        faults.number(to_string(static_cast<Fault>(i)), counters.faults[i]);
    return std::move(faults).end();
}

std::string rules_of(const Counters& counters) {
    std::string rules;
    for (const RuleCount& rule : counters.rules) {
        Object one;
        one.text("name", rule.name).text("fault", to_string(rule.fault));
        one.number("fitting", rule.fitting).number("struck", rule.struck);
        rules += (rules.empty() ? "" : ",") + std::move(one).end();
    }
    return "[" + rules + "]";
}

}  // namespace

std::string to_json(const Counters& counters) {
    Object all;
    all.number("connections", counters.connections)
        .number("open_connections", counters.open_connections)
        .number("requests", counters.requests)
        .number("forwarded", counters.forwarded)
        .number("answered", counters.answered)
        .number("malformed", counters.malformed)
        .number("upstream_failed", counters.upstream_failed)
        .number("records_lost", counters.records_lost)
        .number("faults_before_forwarding", counters.faults_before_forwarding)
        .number("faults_after_forwarding", counters.faults_after_forwarding)
        .raw("faults", faults_of(counters))
        .raw("rules", rules_of(counters));
    return std::move(all).end();
}

std::string to_json(const Record& record, TimePoint since) {
    Object one;
    one.number("connection", record.connection).number("request", record.request);
    if (record.request != 0)
        one.text("method", record.method)
            .text("path", record.path)
            .text("id", record.id)
            .number("status", record.status);
    one.time("accepted", record.accepted, since)
        .time("read", record.read, since)
        .time("forwarded", record.forwarded, since)
        .time("answered", record.answered, since)
        .time("ended", record.ended, since)
        .number("bytes_to_server", record.bytes_to_server)
        .number("bytes_to_client", record.bytes_to_client);
    if (record.fault) one.text("fault", to_string(*record.fault)).text("rule", record.rule);
    else one.raw("fault", "null").raw("rule", "null");
    return std::move(one).end();
}

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
