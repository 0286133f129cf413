// SPDX-License-Identifier: Apache-2.0
#include "report_page.hpp"

#include <algorithm>
#include <cmath>

#include "page/page.hpp"
#include "text/duration_text.hpp"
#include "text/thousands.hpp"

namespace demo {

using tool::Mood;
using tool::thousands;

namespace {

Mood zero_is_good(std::uint64_t count) { return count == 0 ? Mood::good : Mood::bad; }

tool::Headline headline_of(const Demonstration& all) {
    const Comparison& naive = all.naive.table;
    const Comparison& perdure = all.perdure.table;
    const std::string percent = std::to_string(std::lround(all.faults * 100)) + " %";
    tool::Headline headline;
    headline.done = {
        .text = thousands(all.source.orders) + " orders and " +
                std::to_string(all.source.broken_lines.size()) +
                " broken lines were loaded into SQLite, once by a loader written the usual way and "
                "once by `perdure load`, under the same bad luck.",
        .points = {percent +
                       " of all calls to the database fail, by plan: not done, or done and the "
                       "answer lost, or a COMMIT left open that lands later or never.",
                   "A second process took the write lock again and again, for up to " +
                       tool::in_words(
                           std::max(all.naive.trial.longest_lock, all.perdure.trial.longest_lock)) +
                       ".",
                   "Both loaders were killed with SIGKILL at 50 % and at 80 % of the rows, and "
                   "started again."}};
    headline.happened = {.text = perdure_verdict(all),
                         .points = {naive_verdict(all), "After the last kill `perdure load` read " +
                                                            thousands(all.read_again) +
                                                            " records again, by its own count."}};
    headline.change = {
        .text = "Three habits make the difference.",
        .points = {
            "Ask what became of a COMMIT before repeating it. The naive loader repeats it, "
            "and what had landed is there twice.",
            "Write the checkpoint in the data's own transaction. A file beside the database "
            "is one step behind when the kill comes.",
            "Limit waiting by time and not by a number of retries. A lock that outlasts five "
            "retries costs the naive loader a batch."}};
    headline.figures = {
        {thousands(naive.lost), "orders lost by the naive loader", zero_is_good(naive.lost)},
        {thousands(naive.doubled), "rows it wrote twice", zero_is_good(naive.doubled)},
        {thousands(perdure.lost), "orders lost by perdure load", zero_is_good(perdure.lost)},
        {thousands(perdure.doubled), "rows it wrote twice", zero_is_good(perdure.doubled)}};
    return headline;
}

tool::Row row_of(const Demonstration& all, const Outcome& one) {
    const auto number = [](std::uint64_t count) {
        return tool::Cell{thousands(count), static_cast<double>(count)};
    };
    const auto fault = [](std::uint64_t count) {
        return tool::Cell{thousands(count), static_cast<double>(count), zero_is_good(count)};
    };
    const std::uint64_t broken = all.source.broken_lines.size();
    const bool right = one.rejected.right == broken && one.rejected.wrong == 0;
    const Trial& trial = one.trial;
    return {.cells = {{trial.name},
                      number(one.table.exact),
                      fault(one.table.lost),
                      fault(one.table.doubled),
                      fault(one.table.altered + one.table.strangers),
                      {thousands(one.rejected.right) + " of " + thousands(broken),
                       static_cast<double>(one.rejected.right), right ? Mood::good : Mood::bad},
                      number(one.faults),
                      number(trial.locks),
                      number(trial.kills.size()),
                      {tool::in_words(trial.elapsed),
                       std::chrono::duration<double>(trial.elapsed).count()}}};
}

tool::Table table_of(const Demonstration& all) {
    using tool::Align;
    tool::Table table{.caption = "What is in the tables",
                      .note = "Read back row by row and held against the file by this program, not "
                              "by either loader."};
    table.columns = {{"loader"},
                     {"exact", Align::right, "orders that are there once, value for value"},
                     {"lost", Align::right, "orders that are not there"},
                     {"rows too many", Align::right, "copies of orders that are there already"},
                     {"other", Align::right, "rows with other values, or of no order"},
                     {"rejected", Align::right, "broken lines that were refused and reported"},
                     {"faults met", Align::right,
                      "planned ones, as far as the loader lived to note "
                      "them"},
                     {"locks", Align::right, "taken by the second process meanwhile"},
                     {"kills", Align::right},
                     {"time", Align::right}};
    table.rows = {row_of(all, all.naive), row_of(all, all.perdure)};
    return table;
}

void add_trial(const Trial& trial, tool::Chart& chart, tool::Tone tone) {
    tool::Line line{.name = trial.name, .style = tool::Style::step, .tone = tone};
    for (const Moment& at : trial.timeline)
        line.points.push_back({at.seconds, static_cast<double>(at.rows)});
    chart.lines.push_back(std::move(line));
    for (const Moment& kill : trial.kills)
        chart.x_marks.push_back({kill.seconds, trial.name + " killed", Mood::bad});
}

tool::Chart timeline_of(const Demonstration& all) {
    tool::Chart chart{.title = "Rows in the table",
                      .note =
                          "Each loader from its own start. Level stretches are locks held by the "
                          "second process, pauses between retries, and the moments after a "
                          "kill."};
    chart.x = {.label = "time", .unit = "s"};
    chart.y = {.label = "rows"};
    add_trial(all.naive.trial, chart, tool::Tone::by_name);
    add_trial(all.perdure.trial, chart, tool::Tone::own);
    chart.y_marks = {{static_cast<double>(all.source.orders), "all orders"}};
    return chart;
}

tool::Table broken_lines_of(const Demonstration& all) {
    tool::Table table{.caption = "The broken lines",
                      .note = "As the side file of `perdure load` has them; mended, they can be "
                              "loaded from there."};
    table.columns = {{"line and reason"}};
    for (const std::string& reason : all.perdure.rejected.reasons)
        table.rows.push_back({.cells = {{reason}}});
    return table;
}

}  // namespace

std::string as_page(const Demonstration& all) {
    tool::Page page{
        perdure_kept_its_word(all) ? "A load that loses nothing" : "A load that went wrong",
        thousands(all.source.orders) + " orders into SQLite, seed " + std::to_string(all.seed)};
    page.add(headline_of(all)).add(table_of(all)).add(timeline_of(all));
    if (!all.perdure.rejected.reasons.empty()) page.add(broken_lines_of(all));
    page.add(tool::Code{.title = "How to run this again",
                        .code = "perdure_load_demo --records " + std::to_string(all.source.orders) +
                                " --seed " + std::to_string(all.seed)});
    page.add(tool::Details{
        .title = "The commands",
        .content = {tool::Text{.text = "As they were started last. `perdure load` has no key to "
                                       "tell records apart here: it goes by their place in the "
                                       "file, which is the harder case. Faults and kills differ a "
                                       "little from run to run, because the processes do not run "
                                       "in step."},
                    tool::Code{.title = all.naive.trial.name, .code = all.naive.command},
                    tool::Code{.title = all.perdure.trial.name, .code = all.perdure.command}}});
    return page.footer("perdure " PERDURE_VERSION).html();
}

}  // namespace demo
