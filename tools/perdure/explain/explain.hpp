// SPDX-License-Identifier: Apache-2.0
//
// What does the tool know about a service's errors? What the library's own table says, and what the
// library's own decide() does with it.
//
//     for (const Service& service : services()) print(as_table(service, 80));
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/failure.hpp"

namespace tool {

using namespace perdure;

// One row of a table, as people and programs get to see it. A plain value.
struct ErrorRow {
    std::string_view group;  // the heading it stands under
    std::string code;
    std::string name;
    Failure failure;  // what the classifier would make of it
    std::string_view why;
    std::string_view source;
    std::string also{};  // another name it is found by
    // Of databases only.
    std::string reactions{};       // "K,T,A"
    std::string_view at_commit{};  // "definite", "ambiguous"
    // Of services with a plan of their own.
    std::string rule{};          // how often and how long its rule waits; empty: it does not
    std::string_view hint{};     // what a person can do about it
    std::string_view differs{};  // where others see it otherwise
    // Of services that treat reads and writes differently; `failure` is then that of a write.
    std::optional<Failure> as_read{};
    std::string reads{};  // the rule and what is mended, or "no"
    std::string writes{};
};

// Whether the first failure of a call is repeated, by the safety the caller declares.
struct Repeat {
    Stop read = Stop::none;  // none: yes
    Stop idempotent = Stop::none;
    Stop once = Stop::none;
};
Repeat repeat_of(const Failure& failure);
Repeat repeat_of(const ErrorRow& row);

// What would happen to a code that has no row.
struct Otherwise {
    std::string sentence;
    std::string taken_as;         // the code of the row that serves it, if one does
    std::optional<ErrorRow> row;  // nothing: it is no failure at all
};

// A service whose errors can be explained. Later rooms add theirs to services().
struct Service {
    std::string_view name;
    std::string_view summary;
    std::vector<ErrorRow> (*rows)();
    Otherwise (*otherwise)(std::string_view code);
    std::string_view page;  // what stands above the table in its page of the documentation
    std::vector<std::string_view> aliases{};
    // For codes that are more than one name; null: by name alone.
    std::optional<ErrorRow> (*find)(std::string_view code) = nullptr;
};
std::span<const Service> services();
const Service* service_named(std::string_view name);
// By its code or its other name, without regard to case.
std::optional<ErrorRow> row_with(const Service& service, std::string_view code);
// A row with the service it belongs to.
struct FoundRow {
    const Service* service;
    ErrorRow row;
};
// The code's row in every service that has one.
std::vector<FoundRow> rows_with(std::string_view code);
// Rows with the word in their name or reason, without regard to case: "deadlock". Nothing for a code:
// that is what has a digit in it.
std::vector<FoundRow> rows_about(const Service& service, std::string_view word);

// For people: text of at most `width` columns.
std::string as_list();
std::string as_table(const Service& service, std::size_t width);
std::string as_text(const ErrorRow& row, std::size_t width);
// One line of JSON each: an array of objects, an array, an object, an object.
std::string as_json(const Service& service);
std::string as_json(std::span<const FoundRow> found);
std::string as_json(const Service& service, const ErrorRow& row);
std::string as_json(const Service& service, std::string_view code, const Otherwise& otherwise);
// The page of the documentation.
std::string as_markdown(const Service& service);

// The rule of the plan it falls under, by name.
std::string_view rule_of(const Failure& failure);
// "yes", "no", "unless once"
std::string_view in_short(const Repeat& repeat);

}  // namespace tool
