// SPDX-License-Identifier: Apache-2.0
//
// perdure get: one HTTP request under a plan. Whether and when it is repeated is the library's
// business; here is only what is asked, and what is said about it.
#include <cerrno>
#include <csignal>
#include <memory>
#include <optional>
#include <system_error>

#include <unistd.h>

#include "command_line.hpp"
#include "exit_code.hpp"
#include "get/answer_file.hpp"
#include "get/get_outcome.hpp"
#include "get/interruption.hpp"
#include "policy_flags.hpp"
#include "text/output.hpp"

namespace tool {

namespace {

constexpr const char* get_closing = R"(Examples:
  perdure get https://example.org/
  perdure get --deadline 5s --trace -o prices.json https://example.org/prices.json
  perdure get -X PUT --body-file order.json --content-type application/json URL
  echo '{"amount":7}' | perdure get --body-file - --idempotency-key URL
  perdure get --json --answers 404 URL | jq .outcome
  TOKEN='Bearer …' perdure get --auth env:TOKEN URL

Words of a command line can be read by others on this machine (ps). Secrets belong in --auth and
--header-file, not in --header or the URL.

D is a duration: 50ms, 1.5s, 2m. The body of a good answer goes to standard output, words to
standard error. Of an answer that is a failure (status 400 and above) the last line has the
beginning of the body. All of it is shown only with --include or --fail-body, and it is never
written to --output, which then keeps what it had.

What may have taken effect is repeated only if repeating is harmless: GET, HEAD and OPTIONS are
reads, PUT and DELETE idempotent; POST and the others are sent once, unless --safety says
otherwise or the server honours an --idempotency-key.

Exit status:
    0  the answer is below 400, or named in --answers
    1  the server answered with a failure, and nothing was done
    3  a file that was named cannot be used; nothing was sent
    4  no answer, and nothing was done
    5  it was sent, and whether it took effect is unknown
    6  it took effect, and only the answer was lost
    7  the answer came but could not be written
  124  no answer in time, and nothing was done
  125  wrong flags; nothing was sent
  128+N  ended by signal N
A read (GET) changes nothing, so it never ends with 5 or 6.)";

int get_problem(const std::string& words, int status = exit_code::usage) {
    say("perdure get: " + words);
    return status;
}

int refuse(const Failure& failure) {
    const bool file = failure.code == "unreadable" || failure.code == "unwritable";
    if (failure.code == "tls-options")
        return get_problem("--ca: the file cannot be read, or holds no certificate in PEM",
                           get_status::unusable_file);
    if (file) return get_problem(failure.message, get_status::unusable_file);
    return get_problem(failure.message + "\nperdure get --help lists what there is.");
}

std::string with_head(const http::Response& answer) {
    std::string text = "HTTP/1." + std::to_string(answer.minor_version) + " " +
                       std::to_string(answer.status) + " " + answer.reason + "\r\n";
    for (const auto& [name, value] : answer.headers) {
        text += name;
        text += ": ";
        text += value;
        text += "\r\n";
    }
    return text + "\r\n" + answer.body;
}

// Whoever reads us may have had enough: that is no failure, and not worth a word.
int write_out(std::string_view data) {
    const std::string shown = bytes_for(STDOUT_FILENO, data);
    std::string_view bytes = shown;
    while (!bytes.empty()) {
        const ssize_t count = write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EPIPE) return exit_code::signal_offset + SIGPIPE;
        if (count < 0)
            return get_problem("cannot write to standard output: " +
                                   std::generic_category().message(errno),
                               get_status::answer_unwritten);
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return exit_code::success;
}

int deliver(const GetOptions& options, const http::Response& answer, AnswerFile* file) {
    if (options.json && !file) return exit_code::success;
    const std::string whole = options.include ? with_head(answer) : std::string{};
    const std::string& bytes = options.include ? whole : answer.body;
    if (!file) return write_out(bytes);
    if (auto kept = file->keep(bytes); !kept)
        return get_problem(kept.error().message, get_status::answer_unwritten);
    return exit_code::success;
}

void show_failed_answer(const GetOutcome& outcome) {
    const http::Response* const answer = answer_of(outcome);
    if (!answer || !(outcome.options.include || outcome.options.fail_body)) return;
    // With --gzip the client has unpacked it; damaged bytes are shown as they came.
    write_out(outcome.options.include ? with_head(*answer) : answer->body);
}

void remark(const GetOutcome& outcome) {
    if (outcome.options.trace) {
        std::string text;
        for (const std::string& line :
             timeline(outcome.legs.all(), outcome.legs.elapsed(), style_of_standard_error()))
            text += line + "\n";
        say_drawn(text);
    }
    if (!outcome.result || outcome.options.trace) say("perdure get: " + sentence(outcome));
    if (!outcome.result) return;
    const int status = outcome.result->status;
    if (status >= 300 && status != 304 && outcome.result->headers.find("location") && status < 400)
        say("perdure get: the answer is a redirect (" + std::to_string(status) +
            ") that was not followed; --redirects N follows up to N, but none from https to http.");
}

int finish(const GetOutcome& outcome, AnswerFile* file) {
    int status = exit_status_of(outcome);
    without_memory_means(outcome.result ? get_status::answer_unwritten : status);
    if (outcome.result) status = deliver(outcome.options, *outcome.result, file);
    else show_failed_answer(outcome);
    remark(outcome);
    if (!outcome.options.json) return status;
    const int printed = write_out(to_json(outcome, status));
    return status == exit_code::success ? printed : status;
}

int send(const GetOptions& options, Asked& asked, AnswerFile* file) {
    std::optional<Interruption> interruption{std::in_place};
    Diagnostics diagnostics;
    Legs legs{diagnostics};
    asked.client.environment.observer = &legs;
    http::Client client{asked.endpoints, asked.client};
    if (const Failure* const wrong = client.problem()) return refuse(*wrong);
    http::Response last_answer;
    without_memory_means(asked.request.safety() == Safety::read ? get_status::nothing_done
                                                                : get_status::unknown);
    const auto result = client.send(
        asked.request,
        {.stop = interruption->stop(), .diagnostics = &diagnostics, .last_answer = &last_answer});
    const int ended_by = interruption->by();
    interruption.reset();  // from here on Ctrl-C ends us at once: a pipe may never be read
    return finish({options, asked, result, last_answer, diagnostics, legs, ended_by}, file);
}

int get(const GetOptions& given) {
    hold_standard_streams();
    std::signal(SIGPIPE, SIG_IGN);
    GetOptions options = given;
    if (auto read = read_secrets(options); !read) return refuse(read.error());
    const Plan plan = plan_of(options, plan_from(options.policy, "get"));
    if (const std::string wrong = problems_with(plan); !wrong.empty())
        return get_problem(wrong + "\nperdure get --help lists what there is.");
    // Looked at before a body is read, which may come from a pipe and take its time.
    if (auto early = ask(options, plan, {}); !early) return refuse(early.error());
    auto body = read_body(options);
    if (!body) return refuse(body.error());
    auto asked = ask(options, plan, *std::move(body));
    if (!asked) return refuse(asked.error());
    std::optional<AnswerFile> file;
    if (options.to_file()) {
        auto opened = AnswerFile::open(options.output);
        if (!opened) return refuse(opened.error());
        file.emplace(*std::move(opened));
    }
    if (options.insecure)
        say("perdure get: WARNING: --insecure: the server's certificate is not checked. Whoever is "
            "on the way can read and change everything.");
    return send(options, *asked, file ? &*file : nullptr);
}

void add_request_flags(Section& section, GetOptions& options) {
    constexpr const char* group = "Request";
    section.text("-X,--method", options.method, "what to do there",
                 {.preset = "GET; POST with a body", .group = group, .kind = "METHOD"});
    section.texts("-H,--header", options.headers, "'Name: value'; may be given again",
                  {.group = group, .kind = "LINE"});
    section.texts("--header-file", options.header_files,
                  "a header in each line; -: standard input; may be given again",
                  {.group = group, .kind = "FILE"});
    section.text("--auth", options.auth,
                 "env:NAME or file:PATH: where the value of the header Authorization is",
                 {.group = group, .kind = "WHERE"});
    section.text("--body", options.body, "what to send", {.group = group, .kind = "TEXT"});
    section.text("--body-file", options.body_file, "what to send; -: standard input",
                 {.group = group, .kind = "FILE"});
    section.text("--content-type", options.content_type, "of the body",
                 {.group = group, .kind = "TYPE"});
    section.text("--safety", options.safety, "read, idempotent or once",
                 {.preset = "by the method", .group = group, .kind = "WORD"});
    section.flag_or_text("--idempotency-key{new}", options.idempotency_key,
                         "send one, because the server honours it; =KEY: this one",
                         {.group = group});
    section.text("--answers", options.answers, "statuses that are answers and not failures",
                 {.group = group, .kind = "N,N"});
}

void add_way_flags(Section& section, GetOptions& options) {
    constexpr const char* group = "Way";
    section.texts("--endpoint", options.endpoints,
                  "another server for the same path, in order; may be given again",
                  {.group = group, .kind = "URL"});
    section.count("--redirects", options.redirects, 50, "follow up to so many",
                  {.preset = "0", .group = group});
    section.text("--ca", options.ca_file, "trust what this file certifies, and nothing else",
                 {.group = group, .kind = "FILE"});
    section.flag("--insecure", options.insecure, "do not check the server's certificate",
                 {.group = group});
    section.text("--proxy", options.proxy, "go through this HTTP proxy",
                 {.preset = "by http_proxy, https_proxy, all_proxy, no_proxy",
                  .group = group,
                  .kind = "URL"});
    section.flag("--no-proxy", options.no_proxy, "use none, whatever the environment says",
                 {.group = group});
    section.flag("--gzip", options.gzip, "ask for a compressed answer and unpack it",
                 {.group = group});
    section.count("--max-body", options.max_body_mb, 4096, "refuse answers larger than so many MB",
                  {.preset = "256", .group = group});
}

void add_output_flags(Section& section, GetOptions& options) {
    constexpr const char* group = "Output";
    section.text("-o,--output", options.output, "write the body here, all of it or nothing",
                 {.group = group, .kind = "FILE"});
    section.flag("-i,--include", options.include, "status line and headers before the body",
                 {.group = group});
    section.flag("--fail-body", options.fail_body, "also the body of a failure", {.group = group});
    section.flag("--trace", options.trace, "draw attempts and phases on standard error",
                 {.group = group});
    section.flag("--json", options.json, "what happened as one line of JSON, instead of the body",
                 {.group = group});
}

}  // namespace

void add_get(CommandLine& line) {
    auto options = std::make_shared<GetOptions>();
    Section section = line.command("get", "one HTTP request under a plan");
    section.subject("URL", options->url, "http://… or https://…");
    add_request_flags(section, *options);
    add_policy_flags(section, options->policy,
                     {.timeout = "a third of the deadline", .deadline = "30s"});
    section.duration("--set-up", options->set_up, "of getting a connection, beside --timeout",
                     {.preset = "a third of the deadline, at most 3s", .group = "Policy"});
    section.duration("--hedge", options->hedge,
                     "send a second copy of a read that takes longer than this",
                     {.preset = "none", .group = "Policy"});
    add_way_flags(section, *options);
    add_output_flags(section, *options);
    section.closing(get_closing);
    section.runs([options] { return get(*options); });
}

}  // namespace tool
