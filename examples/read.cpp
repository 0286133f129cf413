// SPDX-License-Identifier: Apache-2.0
//
// How is a read repeated? From one line to a classifier of one's own. For docs/guide/retry-a-read.md.
#include <cstdio>
#include <stdexcept>
#include <string>

#include "perdure/perdure.hpp"

using namespace perdure;

namespace {

struct Profile {
    std::string name{};
};

// What some client library gives back: a status, a body, and perhaps a wish.
struct Answer {
    int status = 200;
    std::string body{};
    int retry_after_ms = 0;
};

// Busy twice, then well.
Answer get(const std::string& path, Deadline /*until*/) {
    static int asked = 0;
    if (++asked % 3 != 0) return {.status = 429, .body = "slow down", .retry_after_ms = 5};
    return {.status = 200, .body = "profile of " + path};
}

std::string fetch(const std::string& url) {
    static int asked = 0;
    if (++asked < 2) throw std::runtime_error{"connection reset"};
    return "page at " + url;
}

// [classify]
// One row per code. Whether the service may have acted follows from the cause.
Cause cause_of(int status) {
    switch (status) {
        case 404: return Cause::not_found;
        case 429: return Cause::throttled;
        case 503: return Cause::unavailable;
        case 504: return Cause::timed_out;
        default: return status < 500 ? Cause::invalid : Cause::internal;
    }
}

Failure classify(const Answer& answer) {
    Failure failure{
        .cause = cause_of(answer.status), .status = answer.status, .message = answer.body};
    if (answer.retry_after_ms > 0) failure.retry_after = answer.retry_after_ms * 1ms;
    return failure;
}

Result<Profile> load(const std::string& id, Deadline until) {
    const Answer answer = get("/users/" + id, until);
    if (answer.status != 200) return fail(classify(answer));
    return Profile{answer.body};
}
// [/classify]

// [caller]
// Long-lived and shared: its budget and its latencies are what it learns from.
Caller& users() {
    static Caller caller{{.name = "users",
                          .deadline = 3s,
                          .attempt_timeout = 800ms,
                          .rule = {.attempts = 4, .backoff = {.base = 20ms, .cap = 500ms}}}};
    return caller;
}

Result<Profile> load_profile(const std::string& id) {
    return users().run({.name = "load-profile", .safety = Safety::read},
                       [&](const Attempt& attempt) { return load(id, attempt.deadline); });
}
// [/caller]

void one_line(const std::string& url) {
    // [one-line]
    const auto page = perdure::retry([&] { return fetch(url); });  // Result<std::string>
    // [/one-line]
    std::puts(page ? page->c_str() : to_string(page.error()).c_str());
}

void throwing(const std::string& url) {
    // [catching]
    const auto meaning = [](const std::exception& thrown) -> Failure {
        return {.cause = Cause::unavailable, .origin = Origin::network, .message = thrown.what()};
    };
    const auto page = users().run({.name = "fetch", .safety = Safety::read},
                                  catching(meaning, [&] { return fetch(url); }));
    // [/catching]
    std::puts(page ? page->c_str() : to_string(page.error()).c_str());
}

Profile with_substitute(const std::string& id) {
    // [fall-back]
    const auto nobody = [](const Failure&) { return Profile{"(not available)"}; };
    const auto profile = fall_back(load_profile(id), nobody);
    return or_throw(profile);  // for those who prefer exceptions from here on
    // [/fall-back]
}

}  // namespace

int main() {
    one_line("https://example.org/");
    throwing("https://example.org/");
    std::puts(with_substitute("42").name.c_str());
    // [result]
    const auto profile = load_profile("7");
    if (profile) {
        std::printf("%s\n", profile->name.c_str());
    } else {
        const Failure& failure = profile.error();
        std::printf("%s\n", to_string(failure).c_str());  // for the log, in one line
        if (failure.stop == Stop::budget)
            std::puts("the dependency is failing, not only this call");
    }
    // [/result]
    return profile ? 0 : 1;
}
