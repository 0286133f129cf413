// SPDX-License-Identifier: Apache-2.0
#include "live/odbc_fault_driver/plan.hpp"

#include <algorithm>
#include <charconv>

namespace odbc_fault {

namespace {

std::vector<std::string_view> split(std::string_view text, char mark) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(mark), text.size());
        if (end > 0) parts.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

bool read(std::string_view text, int& number) {
    return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{};
}

bool read(std::string_view text, Event& event) {
    if (text == "open") event = Event::open;
    else if (text == "execute") event = Event::execute;
    else if (text == "commit") event = Event::commit;
    else return false;
    return true;
}

bool read(std::string_view text, When& when) {
    if (text == "before") when = When::before;
    else if (text == "after") when = When::after;
    else if (text == "hang") when = When::hang;
    else if (text == "wait") when = When::wait;
    else return false;
    return true;
}

bool read(std::string_view text, std::vector<Record>& records) {
    for (const std::string_view one : split(text, '+')) {
        const std::size_t slash = one.find('/');
        if (slash == std::string_view::npos) return false;
        if (one == "/") continue;
        Record record{.state = std::string{one.substr(slash + 1)}};
        if (!read(one.substr(0, slash), record.native)) return false;
        record.message = "[Fault][SQL Server]planned failure";
        records.push_back(std::move(record));
    }
    return true;
}

bool read(std::string_view text, Fault& fault) {
    const auto words = split(text, ' ');
    if (words.size() < 3 || !read(words[0], fault.event) || !read(words[1], fault.nth) ||
        !read(words[2], fault.when))
        return false;
    for (std::size_t i = 3; i < words.size(); ++i) {
        if (words[i] == "dead") fault.dead = true;
        else if (!read(words[i], fault.records)) return false;
    }
    return true;
}

}  // namespace

bool Plan::set(std::string_view text) {
    std::vector<Fault> faults;
    for (const std::string_view part : split(text, ';')) {
        if (part.find_first_not_of(' ') == std::string_view::npos) continue;
        if (!read(part, faults.emplace_back())) return false;
    }
    const std::lock_guard lock{mutex_};
    faults_ = std::move(faults);
    counts_.clear();
    released_ = false;
    return true;
}

std::optional<Fault> Plan::next(Event event) {
    const std::lock_guard lock{mutex_};
    const int count = ++counts_[event];
    for (const Fault& fault : faults_)
        if (fault.event == event && fault.nth == count) return fault;
    return std::nullopt;
}

void Plan::hang(const bool* cancelled) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return released_ || (cancelled && *cancelled); });
}

void Plan::release() {
    const std::lock_guard lock{mutex_};
    released_ = true;
    changed_.notify_all();
}

Plan& plan() {
    static Plan* const one = new Plan;  // threads may hang in it when the process ends
    return *one;
}

}  // namespace odbc_fault
