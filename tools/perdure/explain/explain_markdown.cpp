// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.hpp"

namespace tool {

namespace {

void add_cell(std::string& line, std::string_view text) {
    line += text.empty() ? " |" : " " + std::string{text} + " |";
}

std::string line_of(const ErrorRow& row) {
    std::string line = "|";
    add_cell(line, "`" + row.code + "`");
    add_cell(line, row.name);
    add_cell(line, to_string(row.failure.cause));
    if (!row.reads.empty()) {
        add_cell(line, to_string(row.failure.effect));
        add_cell(line, row.reads);
        add_cell(line, row.writes);
    } else if (row.reactions.empty()) {
        add_cell(line, to_string(row.failure.effect));
        add_cell(line, in_short(repeat_of(row)));
    } else {
        add_cell(line, row.reactions);
        add_cell(line, row.at_commit);
        add_cell(line, row.rule.empty() ? "" : rule_of(row.failure));
    }
    if (row.reads.empty()) add_cell(line, to_string(row.failure.remedies));
    add_cell(line, row.differs.empty()
                       ? std::string{row.why}
                       : std::string{row.why} + " *Differs:* " + std::string{row.differs});
    add_cell(line, row.source);
    return line + "\n";
}

constexpr std::string_view usual_head =
    "| code | meaning | cause | effect | repeated | remedy | why | source |\n"
    "|---|---|---|---|---|---|---|---|\n";
constexpr std::string_view database_head =
    "| code | meaning | cause | letters | COMMIT | rule | remedy | why | source |\n"
    "|---|---|---|---|---|---|---|---|---|\n";

constexpr std::string_view two_sided_head =
    "| code | meaning | cause | effect | reads | writes | why | source |\n"
    "|---|---|---|---|---|---|---|---|\n";

std::string_view head_for(const ErrorRow& row) {
    if (!row.reads.empty()) return two_sided_head;
    return row.reactions.empty() ? usual_head : database_head;
}

}  // namespace

std::string as_markdown(const Service& service) {
    std::string text{service.page};
    std::string_view group;
    for (const ErrorRow& row : service.rows()) {
        if (row.group != group)
            text += "\n## " + std::string{row.group} + "\n\n" + std::string{head_for(row)};
        group = row.group;
        text += line_of(row);
    }
    return text;
}

}  // namespace tool
