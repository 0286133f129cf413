// SPDX-License-Identifier: Apache-2.0
#include "chaos/plan_file.hpp"

#include <string>
#include <utility>
#include <vector>

#include "sim/scenario_file_reader.hpp"

namespace tool {

namespace {

using chaos::Fault;

constexpr int most_rules = 100;
constexpr double most_counted = 1e9;

std::vector<std::string> fault_names() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < chaos::fault_count; ++i)
        names.emplace_back(to_string(static_cast<Fault>(i)));
    return names;
}

// One [[rule]]: a fault, whom it meets, and only the keys that this fault has.
class RuleReader {
public:
    RuleReader(const Node& table, Problems& problems)
        : table_{table}, reader_{table, "rule", problems} {}

    chaos::Rule read() && {
        reader_.text("name", rule_.name);
        if (read_fault()) {
            read_match();
            read_parameters();
            reader_.close();
        }
        return std::move(rule_);
    }

private:
    [[nodiscard]] bool is(Fault fault) const { return rule_.fault == fault; }

    bool read_fault() {
        const Node* node = reader_.find("fault");
        const std::string given = node && node->kind == Node::Kind::text ? node->text : "";
        if (const auto fault = chaos::fault_named(given)) {
            rule_.fault = *fault;
            return true;
        }
        const auto names = fault_names();
        reader_.complain(node ? *node : table_, "fault",
                         (node ? "is none" : "is missing") + std::string{"; it is "} +
                             any_of(names) + did_you_mean(given, names));
        return false;
    }

    void read_match() {
        const Node* table = reader_.table("match");
        if (!table) return;
        Reader reader{*table, "rule.match", reader_.problems()};
        chaos::Match& match = rule_.match;
        reader.text("method", match.method);
        reader.text("path", match.path);
        reader.text("header", match.header);
        reader.text("body", match.body);
        count(reader, "from", match.from);
        count(reader, "to", match.to);
        count(reader, "every_nth", match.every_nth);
        reader.number("probability", match.probability, {.least = 0, .most = 1});
        reader.close();
    }

    static void count(Reader& reader, std::string_view key, std::uint64_t& into) {
        int number = 0;
        reader.whole(key, number, {.least = 1, .most = most_counted});
        if (number > 0) into = static_cast<std::uint64_t>(number);
    }

    void read_parameters() {
        if (is(Fault::delay) || is(Fault::drip)) reader_.duration("delay", rule_.delay);
        if (is(Fault::delay)) reader_.duration("jitter", rule_.jitter);
        if (is(Fault::drip) || is(Fault::close_after)) {
            int bytes = 1;
            reader_.whole("bytes", bytes, {.least = is(Fault::drip) ? 1.0 : 0.0});
            rule_.bytes = static_cast<std::size_t>(bytes);
        }
        if (is(Fault::drip))
            reader_.choice("part", rule_.part,
                           {{"whole", chaos::Part::whole}, {"body", chaos::Part::body}});
        if (is(Fault::inject) || is(Fault::replace_reply)) read_reply();
        if (is(Fault::refuse)) reader_.duration("closed_for", rule_.closed_for, "until changed");
        if (is(Fault::cut_at_marker)) {
            reader_.text("marker", rule_.marker);
            reader_.choice("when", rule_.when,
                           {{"before", chaos::When::before},
                            {"after", chaos::When::after},
                            {"answered", chaos::When::answered}});
            reader_.choice("then", rule_.then,
                           {{"reset", chaos::Then::reset},
                            {"half_open", chaos::Then::half_open},
                            {"swallow", chaos::Then::swallow}});
            reader_.duration("delay", rule_.delay);
            reader_.duration("open_for", rule_.open_for);
        }
        if (is(Fault::rewrite)) read_rewrite();
        if (is(Fault::delay) || is(Fault::drip) || is(Fault::cut_at_marker) || is(Fault::rewrite))
            read_toward();
    }

    void read_toward() {
        chaos::Toward toward = chaos::Toward::server;
        const std::size_t before = reader_.problems().size();
        reader_.choice("toward", toward,
                       {{"server", chaos::Toward::server}, {"client", chaos::Toward::client}});
        if (table_.find("toward") && reader_.problems().size() == before) rule_.toward = toward;
    }

    void read_reply() {
        reader_.whole("status", rule_.status, {.least = 200, .most = 999});
        reader_.text("body", rule_.body);
        const Node* headers = reader_.table("headers");
        if (!headers) return;
        for (const Entry& entry : headers->entries) {
            if (entry.value.kind == Node::Kind::text)
                rule_.headers.emplace_back(entry.key, entry.value.text);
            else
                reader_.complain(entry.value, "headers",
                                 "has a value that is no text; write \"7\"");
        }
    }

    void read_rewrite() {
        const Node* table = reader_.table("rewrite");
        if (!table) {
            if (!table_.find("rewrite"))
                reader_.complain(table_, "rewrite",
                                 "is missing; write { find = \"good\", replace = \"bad\" }");
            return;
        }
        Reader reader{*table, "rule.rewrite", reader_.problems()};
        reader.text("header", rule_.rewrite.header);
        reader.text("find", rule_.rewrite.find);
        reader.text("replace", rule_.rewrite.replace);
        reader.close();
    }

    const Node& table_;
    Reader reader_;
    chaos::Rule rule_;
};

}  // namespace

PlanReading read_plan(std::string_view text) {
    PlanReading reading;
    Grown grown = tree_from(text);
    if (grown.problem) return {.plan = {}, .problems = {*std::move(grown.problem)}};
    Reader top{grown.tree, "", reading.problems};
    top.choice("protocol", reading.plan.protocol,
               {{"http", chaos::Protocol::http}, {"tcp", chaos::Protocol::tcp}});
    int seed = 1;
    top.whole("seed", seed);
    reading.plan.seed = static_cast<std::uint64_t>(seed);
    for (const Node* table : top.tables("rule")) {
        if (reading.plan.rules.size() == most_rules) {
            reading.problems.push_back({table->place, "a plan has at most 100 rules"});
            break;
        }
        const std::size_t before = reading.problems.size();
        chaos::Rule rule = RuleReader{*table, reading.problems}.read();
        // What the library would refuse is said here, where the line is known.
        if (reading.problems.size() == before)
            for (std::string& problem : validate(rule, reading.plan.protocol))
                reading.problems.push_back(
                    {table->place, name_of(rule) + ": " + std::move(problem)});
        reading.plan.rules.push_back(std::move(rule));
    }
    top.close();
    return reading;
}

}  // namespace tool
