// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario_file.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "perdure/sim/policies.hpp"
#include "sim/scenario_file_parts.hpp"
#include "sim/sim_metrics.hpp"

namespace tool {

namespace {

constexpr std::size_t most_rows = 100;
constexpr std::size_t most_points = 100;

// One line of the comparison as the file or the command line asks for it.
struct Wanted {
    std::string name{};
    std::string text{};
    RowPolicies policies{};
    std::vector<std::pair<std::string, Node>> settings{};
};

class StudyReader {
public:
    StudyReader(std::string_view text, std::string name, const Wishes& wishes) : wishes_{wishes} {
        study_.name = std::move(name);
        Grown grown = tree_from(text);
        if (grown.problem) problems_.push_back(*std::move(grown.problem));
        else tree_ = std::move(grown.tree);
        broken_ = !problems_.empty();
    }

    Reading read() && {
        if (!broken_) {
            read_head();
            for (std::size_t row = 0; row < wanted_.size(); ++row)
                for (std::size_t point = 0; point < study_.sweep.values.size(); ++point)
                    add_case(row, point);
            find_triggers();
        }
        return {std::move(study_), std::move(problems_)};
    }

private:
    void problem(const Place& place, std::string text) {
        // Every case reads the same file: what is wrong with it is said once.
        const bool known = std::ranges::any_of(problems_, [&](const Problem& one) {
            return one.text == text && one.place.line == place.line &&
                   one.place.column == place.column && one.place.origin == place.origin;
        });
        if (!known && problems_.size() < 50) problems_.push_back({place, std::move(text)});
    }
    void take(const Problems& found) {
        for (const Problem& one : found) problem(one.place, one.text);
    }

    // What holds for all cases; read once, from the tree as it is with the command line's settings.
    void read_head() {
        Node tree = tree_;
        for (const auto& [key, value] : wishes_.settings) set(tree, key, leaf_of(key, value));
        Problems found;
        Reader top{tree, "", found};
        top.text("title", study_.title);
        top.text("question", study_.question);
        top.text("text", study_.text);
        top.texts("advice", study_.advice);
        top.choice("kind", study_.kind,
                   {{"fleet", StudyKind::fleet}, {"contention", StudyKind::contention}});
        top.choice("chart", study_.chart,
                   {{"time", StudyChart::time},
                    {"hysteresis", StudyChart::hysteresis},
                    {"sweep", StudyChart::sweep}});
        top.whole("seeds", study_.seeds, {.least = 1, .most = 10'000});
        read_show(top);
        const Policies policies = read_policies(top, found);
        read_sweep(top);
        read_rows(top, policies);
        take(found);
        if (study_.title.empty()) study_.title = study_.name;
    }

    void read_show(Reader& top) {
        study_.show = study_.kind == StudyKind::contention
                          ? std::vector<std::string>{"calls", "time"}
                          : std::vector<std::string>{"success", "amplification", "lost", "p99"};
        const std::vector<std::string> preset = study_.show;
        top.texts("show", study_.show);
        if (study_.show.empty()) {
            const Node& given = *top.find("show");
            if (given.kind == Node::Kind::list && given.items.empty())
                top.complain(given, "show",
                             "is empty; it names at least one metric: " + any_of(metric_names()));
            study_.show = preset;
        }
        const auto names = metric_names();
        for (const std::string& name : study_.show)
            if (std::ranges::find(names, name) == names.end())
                top.complain(*top.find("show"), "show",
                             "names \"" + name + "\", which is no metric; there are " +
                                 any_of(names) + did_you_mean(name, names));
    }

    void read_sweep(Reader& top) {
        const Node* table = top.table("sweep");
        if (!table) return;
        Reader reader{*table, "sweep", top.problems()};
        Sweep& sweep = study_.sweep;
        reader.text("key", sweep.key);
        sweep.label = sweep.key;
        reader.text("label", sweep.label);
        const Node* values = reader.find("values");
        const Node* look_at = reader.find("look_at");
        reader.close();
        if (sweep.key.empty() || !values || values->items.empty() ||
            values->items.size() > most_points) {
            reader.complain(*table, values ? "values" : "key",
                            "is missing or too long: a sweep has a `key` and 1 to 100 `values`");
            sweep = {};
            return;
        }
        sweep.values.clear();
        sweep.places.clear();
        swept_ = values->items;
        // A value from the command line stands instead of all of them.
        for (const auto& [key, value] : wishes_.settings)
            if (key == sweep.key) swept_ = {leaf_of(key, value)};
        for (const Node& value : swept_) {
            std::string ignored;
            const auto length =
                value.kind == Node::Kind::text ? duration_in(value, ignored) : std::nullopt;
            sweep.values.push_back(value.kind == Node::Kind::table || value.kind == Node::Kind::list
                                       ? std::to_string(sweep.values.size() + 1)
                                       : value.text);
            sweep.places.push_back(value.kind == Node::Kind::number ? value.number
                                   : length ? static_cast<double>(length->count()) / 1e9
                                            : static_cast<double>(sweep.places.size()));
        }
        const auto found =
            look_at ? std::ranges::find(sweep.values, look_at->text) : sweep.values.end();
        if (found != sweep.values.end())
            sweep.look_at = static_cast<std::size_t>(found - sweep.values.begin());
        else if (look_at && swept_.size() == values->items.size())
            reader.complain(*look_at, "look_at", "is none of the `values`");
    }

    void read_rows(Reader& top, const Policies& policies) {
        for (const Node* table : top.tables("variant")) read_variant(*table, top.problems());
        for (const Wanted& row : wanted_)
            if (!row.policies.inner.empty() && row.policies.inner != "same")
                must_know(policies, row.policies.inner, "row '" + row.name + "'");
        if (!wishes_.policies.empty()) choose_policies();
        else if (wanted_.empty())
            for (const auto& policy : policies.own) want(policy.name);
        if (wanted_.empty()) want("perdure");
        if (wanted_.size() > most_rows) {
            problem({}, "there are more than 100 rows to compare");
            wanted_.clear();
        }
        for (Wanted& row : wanted_) {
            const bool wished = !wishes_.policies.empty();
            must_know(policies, row.policies.clients,
                      wished ? "--policy " + row.policies.clients : "row '" + row.name + "'");
            const auto found = policies.find(row.policies.clients);
            if (found && row.text.empty()) row.text = found->text;
        }
    }

    void must_know(const Policies& policies, const std::string& name, std::string origin) {
        if (policies.find(name)) return;
        problem({.origin = std::move(origin)}, "there is no policy \"" + name + "\"; there are " +
                                                   any_of(policies.names()) +
                                                   did_you_mean(name, policies.names()));
    }

    void want(const std::string& policy) {
        wanted_.push_back({.name = policy, .policies = {policy, {}}});
    }

    void read_variant(const Node& table, Problems& found) {
        Reader reader{table, "variant", found};
        Wanted row;
        row.policies.clients = "perdure";
        reader.text("policy", row.policies.clients);
        row.name = row.policies.clients;
        reader.text("name", row.name);
        reader.text("describe", row.text);
        reader.text("inner", row.policies.inner);
        if (const Node* settings = reader.table("set"))
            for (const Entry& entry : settings->entries) flatten(entry.key, entry.value, row);
        reader.close();
        if (std::ranges::find(wanted_, row.name, &Wanted::name) != wanted_.end()) {
            const Node* name = reader.find("name");
            reader.complain(name ? *name : table, "name",
                            "is \"" + row.name + "\", and so is another row's; give each its own");
        }
        wanted_.push_back(std::move(row));
    }

    // set = { "service.queue.limit" = 400 } and set.service.queue.limit = 400 are the same.
    static void flatten(const std::string& path, const Node& node, Wanted& row) {
        if (node.kind != Node::Kind::table || path.find('.') != std::string::npos)
            return void(row.settings.emplace_back(path, node));
        for (const Entry& entry : node.entries)
            if (entry.value.kind == Node::Kind::table)
                flatten(path + "." + entry.key, entry.value, row);
            else row.settings.emplace_back(path + "." + entry.key, entry.value);
    }

    // The policies of the command line, under every set-up of the service that the file compares.
    void choose_policies() {
        std::vector<Wanted> setups;
        for (Wanted& row : wanted_) {
            // All rows that set nothing are one: the file as it is.
            if (row.settings.empty()) row.name.clear();
            const bool known =
                row.name.empty() &&
                std::ranges::any_of(setups, [](const Wanted& one) { return one.name.empty(); });
            if (!known) setups.push_back(std::move(row));
        }
        wanted_.clear();
        for (const std::string& policy : wishes_.policies) {
            if (std::ranges::count(wishes_.policies, policy) > 1)
                problem({.origin = "--policy " + policy}, "is given twice");
            if (setups.empty()) want(policy);
            for (const Wanted& setup : setups) {
                Wanted row = setup;
                row.name = setup.name.empty() ? policy : policy + ", " + setup.name;
                row.text.clear();
                row.policies.clients = policy;
                wanted_.push_back(std::move(row));
            }
        }
    }

    static Node leaf_of(const std::string& key, const std::string& value) {
        return leaf_from(value, "--set " + key + "=" + value);
    }
    void set(Node& tree, const std::string& key, const Node& leaf) {
        if (!know_policy_in(tree, key, leaf.place)) return;
        if (const auto wrong = graft(tree, key, leaf)) problem(leaf.place, *wrong);
    }

    // A path into a policy means one that exists; one of the catalogue begins as what it is there.
    bool know_policy_in(Node& tree, const std::string& key, const Place& place) {
        constexpr std::string_view prefix = "policy.";
        if (!key.starts_with(prefix)) return true;
        const std::string name =
            key.substr(prefix.size(), key.find('.', prefix.size()) - prefix.size());
        std::vector<std::string> names;
        if (const Entry* own = std::as_const(tree).find("policy"))
            for (const Entry& entry : own->value.entries) names.push_back(entry.key);
        if (name.empty() || std::ranges::find(names, name) != names.end()) return true;
        if (sim::policy_named(name)) {
            Node like{Node::Kind::text, name};
            like.place = place;
            graft(tree, "policy." + name + ".like", like);
            return true;
        }
        for (const auto& policy : sim::policies()) names.push_back(policy.name);
        problem(place, "there is no policy \"" + name + "\"; there are " + any_of(names) +
                           did_you_mean(name, names));
        return false;
    }

    // The file, then what the row sets, then the swept value, then the command line.
    Node tree_of(const Wanted& row, std::size_t point) {
        Node tree = tree_;
        for (const auto& [key, leaf] : row.settings) set(tree, key, leaf);
        if (!study_.sweep.key.empty()) set(tree, study_.sweep.key, swept_[point]);
        for (const auto& [key, value] : wishes_.settings) set(tree, key, leaf_of(key, value));
        return tree;
    }

    void add_case(std::size_t row, std::size_t point) {
        const Wanted& wanted = wanted_[row];
        const Node tree = tree_of(wanted, point);
        Problems found;
        Reader top{tree, "", found};
        for (const char* key : {"title", "question", "text", "advice", "kind", "chart", "seeds",
                                "show", "variant", "sweep"})
            top.find(key);
        const Policies policies = read_policies(top, found);
        const auto policy = policies.find(wanted.policies.clients);
        Case made{row, point, {}};
        if (study_.kind == StudyKind::contention) made.what = read_contest(top, policy);
        else made.what = read_scenario(top, policies, wanted, found);
        top.close();
        take(found);
        if (point == 0) add_row(wanted, made);
        study_.cases.push_back(std::move(made));
    }

    sim::Scenario read_scenario(Reader& top, const Policies& policies, const Wanted& wanted,
                                Problems& found) {
        sim::Scenario scenario = read_fleet(top, policies, wanted.policies, found);
        if (const auto policy = policies.find(wanted.policies.clients))
            scenario.plan = policy->plan;
        if (!found.empty()) return scenario;
        for (const std::string& text : sim::validate(scenario))
            problem({.origin = "row '" + wanted.name + "'"}, text);
        double calls = 0;
        for (const sim::RatePoint& point : scenario.clients.rate)
            calls = std::max(calls, point.per_second *
                                        static_cast<double>(scenario.duration.count()) / 1e9);
        if (scenario.clients.arrivals == sim::Arrivals::open && calls > 1e9)
            problem({.origin = "row '" + wanted.name + "'"},
                    "more than a thousand million calls: lower `clients.rate` or `duration`");
        return scenario;
    }

    sim::Contest read_contest(Reader& top, const std::optional<sim::NamedPolicy>& policy) {
        sim::Contest contest;
        if (const Node* table = top.table("contention")) {
            Reader reader{*table, "contention", top.problems()};
            reader.whole("clients", contest.clients, {.least = 1, .most = 10'000});
            reader.distribution("leg", contest.leg);
            reader.close();
        }
        if (policy) contest.plan = sim::contention_plan(policy->plan.rule.backoff);
        return contest;
    }

    // Nothing where a breaker or a limiter, and no budget, is what bounds the retries of a layer.
    static std::optional<double> safe_through(const sim::Scenario& scenario) {
        double safe = 1;
        const auto through = [&](const Plan& plan) {
            const double own = sim::safe_utilisation(plan);
            safe *= own;
            const bool bounded = plan.breaker || plan.limiter.kind != LimiterKind::none;
            return !bounded || plan.budget.kind != BudgetKind::none || own >= 1;
        };
        bool known = through(scenario.plan);
        for (const sim::Service& service : scenario.services)
            if (!service.calls.empty() && !through(service.plan)) known = false;
        return known ? std::optional{safe} : std::nullopt;
    }

    void add_row(const Wanted& wanted, const Case& made) {
        StudyRow row{.name = wanted.name, .text = wanted.text};
        if (const auto* scenario = std::get_if<sim::Scenario>(&made.what)) {
            row.plan = scenario->plan;
            row.safe_utilisation = safe_through(*scenario);
        } else {
            row.plan = std::get<sim::Contest>(made.what).plan;
        }
        study_.rows.push_back(std::move(row));
    }

    void find_triggers() {
        if (study_.cases.empty()) return;
        if (const auto* scenario = std::get_if<sim::Scenario>(&study_.cases.front().what)) {
            study_.triggers = triggers_of(*scenario);
            study_.over = trigger_over(*scenario);
        }
    }

    const Wishes& wishes_;
    Node tree_;
    bool broken_ = false;
    Study study_;
    Problems problems_;
    std::vector<Wanted> wanted_;
    std::vector<Node> swept_;
};

}  // namespace

Reading read_study(std::string_view text, std::string name, const Wishes& wishes) {
    return StudyReader{text, std::move(name), wishes}.read();
}

}  // namespace tool
