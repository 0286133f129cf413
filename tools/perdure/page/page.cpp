// SPDX-License-Identifier: Apache-2.0
#include "page/page.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "page/page_assets.hpp"
#include "page/page_html.hpp"
#include "page/page_text.hpp"

namespace tool {

namespace {

// Replaces each {{name}} once and never looks at what it put in: text of a user that looks like a
// place stays text.
std::string filled(std::string_view text, const std::map<std::string_view, std::string>& places) {
    std::string page;
    while (!text.empty()) {
        const std::size_t from = std::min(text.find("{{"), text.size());
        const std::size_t to = text.find("}}", from);
        page += text.substr(0, from);
        if (to == std::string_view::npos) return page.append(text.substr(from));
        page += places.at(text.substr(from + 2, to - from - 2));
        text.remove_prefix(to + 2);
    }
    return page;
}

std::string paragraph(const std::string& style, const std::string& text) {
    if (text.empty()) return {};
    return "<p class=\"" + style + "\">" + html_prose(text) + "</p>";
}

}  // namespace

Page::Page(std::string title, std::string subtitle)
    : title_{std::move(title)}, subtitle_{std::move(subtitle)} {}

Page& Page::add(Block block) {
    blocks_.push_back(std::move(block));
    return *this;
}

Page& Page::footer(std::string text) {
    footer_ = std::move(text);
    return *this;
}

std::string Page::html() const {
    BlockWriter writer;
    for (const Block& block : blocks_) std::visit(writer, block);
    return filled(page_template(), {{"title", html_text(title_)},
                                    {"subtitle", paragraph("subtitle", subtitle_)},
                                    {"style", std::string{page_style()}},
                                    {"body", std::move(writer.html)},
                                    {"footer", paragraph("", footer_)},
                                    {"numbers", script_safe(writer.numbers.json())},
                                    {"script", std::string{page_script()}},
                                    {"script_hash", std::string{page_script_hash()}}});
}

}  // namespace tool
