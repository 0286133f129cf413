// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>

#include "doctor/report.hpp"
#include "doctor/words.hpp"
#include "text/json_text.hpp"

namespace tool::doctor {

namespace {

std::string real(double value) {
    if (!std::isfinite(value)) return "null";
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", value);
    return text.data();
}

std::string ended(JsonLine line) {
    std::string json = std::move(line).end();
    while (json.ends_with('\n')) json.pop_back();
    return json;
}

JsonLine& count(JsonLine& line, std::string_view name, std::uint64_t value) {
    return line.number(name, static_cast<long long>(value));
}

std::string list(const std::vector<std::string>& items) {
    std::string json = "[";
    for (const std::string& item : items) json += (json.size() > 1 ? "," : "") + item;
    return json + "]";
}

std::string names(const std::vector<std::string>& all) {
    std::vector<std::string> texts;
    for (const std::string& name : all) texts.push_back(json_text(name));
    return list(texts);
}

std::string calls_json(const Report& report) {
    const Facts& facts = report.facts;
    const Tally& tally = report.tally;
    JsonLine line;
    count(line, "count", tally.calls);
    count(line, "failed", tally.failed);
    count(line, "affected", tally.affected);
    count(line, "answered_no", tally.answered_no);
    count(line, "cancelled", tally.cancelled);
    line.raw("succeeded_share", real(1 - facts.failed.value()));
    line.raw("affected_share", real(facts.affected.value()));
    line.raw("sla", real(facts.wishes.sla));
    line.raw("sla_given", report.options.sla_given ? "true" : "false");
    line.raw("sla_met", facts.outside_sla() ? "false" : "true");
    line.text("first", utc(tally.first)).text("last", utc(tally.last));
    return ended(std::move(line));
}

std::string p99(const Report& report) {
    const Facts& facts = report.facts;
    JsonLine without, share, line;
    for (std::size_t i = 0; i < part_count; ++i) {
        const auto name = to_string(static_cast<Part>(i));
        without.number(name, facts.p99_without[i]);
        share.raw(name, real(report.tally.elapsed_sum <= 0
                                 ? 0
                                 : report.tally.sums[i] / report.tally.elapsed_sum));
    }
    line.number("ns", facts.p99);
    line.raw("wanted_ns", facts.wishes.p99 ? std::to_string(*facts.wishes.p99) : "null");
    line.raw("met", facts.outside_p99() ? "false" : "true");
    const auto part = main_part(facts);
    line.raw("mainly", part ? json_text(to_string(*part)) : "null");
    line.raw("without_ns", ended(std::move(without)));
    line.raw("share_of_time", ended(std::move(share)));
    return ended(std::move(line));
}

std::string retries_json(const Report& report) {
    const Tally& tally = report.tally;
    JsonLine line;
    line.raw("amplification", real(report.facts.amplification));
    count(line, "retried", tally.retried);
    count(line, "retried_in_vain", tally.retried_in_vain);
    line.raw("useful_share",
             report.facts.useful.of == 0 ? "null" : real(report.facts.useful.value()));
    count(line, "hedges", tally.hedges);
    count(line, "hedges_won", tally.hedges_won);
    count(line, "attempts_overran", tally.overran);
    count(line, "stopped_by_budget", tally.stopped_by_budget);
    return ended(std::move(line));
}

std::string subset(const Subset& found) {
    JsonLine line;
    count(line, "count", found.of);
    line.raw("stand_out", names(found.names));
    line.raw("affected_share", real(found.inside.value()));
    line.raw("affected_share_else", real(found.outside.value()));
    line.raw("chance", real(found.chance));
    return ended(std::move(line));
}

std::string codes_json(const Report& report) {
    std::vector<std::string> items;
    for (const Code* code : codes_of(report)) {
        JsonLine line;
        line.text("dependency", code->dependency).text("code", code->code);
        line.text("cause", to_string(code->cause));
        count(line, "attempts", code->attempts);
        count(line, "calls", code->calls);
        count(line, "calls_failed", code->calls_failed);
        line.raw("retryable", is_repeatable(code->cause) ? "true" : "false");
        items.push_back(ended(std::move(line)));
    }
    return list(items);
}

std::string groups_json(const Report& report) {
    std::vector<std::string> items;
    for (const auto& [name, group] : groups_of(report)) {
        JsonLine line;
        line.text("name", name);
        count(line, "calls", group->calls);
        count(line, "affected", group->affected);
        count(line, "failed", group->failed);
        count(line, "p99_ns", group->elapsed.quantile(0.99));
        items.push_back(ended(std::move(line)));
    }
    return list(items);
}

std::string causes(const Report& report) {
    std::vector<std::string> items;
    for (const Suspicion& one : report.diagnosis.suspicions) {
        std::vector<std::string> evidence;
        for (const Evidence& piece : one.evidence) {
            JsonLine line;
            line.text("text", piece.text).raw("weight", real(piece.weight));
            evidence.push_back(ended(std::move(line)));
        }
        JsonLine line;
        line.text("cause", to_string(one.root)).raw("score", real(one.score));
        line.raw("evidence", list(evidence));
        items.push_back(ended(std::move(line)));
    }
    return list(items);
}

std::string examples(const Report& report) {
    std::vector<std::string> items;
    for (const Example& one : report.examples) {
        JsonLine line;
        line.text("time", utc(one.time)).text("instance", one.instance);
        line.text("dependency", one.dependency).text("operation", one.operation);
        line.text("address", one.address).text("code", one.code);
        line.text("cause", to_string(one.cause)).text("request_id", one.request_id);
        items.push_back(ended(std::move(line)));
    }
    return list(items);
}

std::string input(const Report& report) {
    JsonLine line;
    count(line, "lines", report.account.lines);
    count(line, "bad_lines", report.account.bad);
    line.text("first_bad", report.account.first_bad);
    count(line, "dropped_lines", report.account.dropped);
    count(line, "left_out", report.account.left_out);
    return ended(std::move(line));
}

std::string support(const Report& report) {
    JsonLine line;
    line.raw("contact", report.support.contact ? "true" : "false");
    line.text("because", report.support.because);
    return ended(std::move(line));
}

}  // namespace

std::string as_json(const Report& report) {
    const Diagnosis& diagnosis = report.diagnosis;
    JsonLine line;
    line.text("verdict", to_string(diagnosis.verdict));
    line.raw("score", diagnosis.verdict == Root::healthy
                          ? "null"
                          : real(diagnosis.about(diagnosis.verdict)->score));
    line.raw("also", diagnosis.also ? json_text(to_string(*diagnosis.also)) : "null");
    line.text("headline", report.headline);
    line.raw("dependency", report.scope.empty() ? "null" : json_text(report.scope));
    line.raw("calls", calls_json(report))
        .raw("p99", p99(report))
        .raw("retries", retries_json(report));
    line.raw("instances", subset(report.scope_facts.instances));
    line.raw("addresses", subset(report.scope_facts.places));
    line.raw("codes", codes_json(report));
    if (report.options.by != By::nothing) line.raw("groups", groups_json(report));
    line.raw("causes", causes(report));
    line.raw("next_steps", names(report.next_steps));
    line.raw("hand_over", examples(report));
    line.raw("contact_support", support(report));
    line.raw("input", input(report));
    return std::move(line).end();
}

}  // namespace tool::doctor
