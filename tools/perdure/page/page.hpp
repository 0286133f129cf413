// SPDX-License-Identifier: Apache-2.0
//
// How does a result become a page that can be opened, read, mailed and kept? As one HTML file that
// needs nothing else: no network, no fonts, no library. Headline, text and tables are plain HTML;
// charts are drawn by the page itself from numbers it carries.
//
//     Page page{"A storm of retries", "460 s, 200 clients, seed 7"};
//     page.add(Headline{.done = {"Capacity fell to a fifth for 60 s."}, …});
//     page.add(Chart{…}).add(Table{…});
//     write_file(path, page.html());
#pragma once

#include <string>
#include <vector>

#include "page/page_blocks.hpp"

namespace tool {

// A value; one owner. Blocks are shown in the order in which they were added.
class Page {
public:
    explicit Page(std::string title, std::string subtitle = {});

    Page& add(Block block);
    // A few words at the bottom: the version of the tool, the seed.
    Page& footer(std::string text);

    // The same page always gives the same bytes.
    [[nodiscard]] std::string html() const;

private:
    std::string title_;
    std::string subtitle_;
    std::string footer_;
    std::vector<Block> blocks_;
};

}  // namespace tool
