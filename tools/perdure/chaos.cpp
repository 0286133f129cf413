// SPDX-License-Identifier: Apache-2.0
//
// perdure chaos: a proxy that breaks what a plan says, between a client and a server.
#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chaos/chaos_report.hpp"
#include "chaos/plan_file.hpp"
#include "command_line.hpp"
#include "exit_code.hpp"
#include "perdure/chaos/proxy.hpp"
#include "run/signals.hpp"
#include "text/output.hpp"
#include "text/small_file.hpp"

namespace tool {

namespace {

// How often records leave the proxy's bounded memory for the file.
constexpr Duration write_every = 100ms;

struct ChaosOptions {
    std::string listen = "127.0.0.1:0";
    std::string to;
    std::string plan;
    std::vector<std::string> faults;
    std::string record;
    std::string id_header = "x-request-id";
    std::optional<Duration> counters_every;
    std::optional<Duration> duration;
    int seed = not_given;
    bool anywhere = false;
    bool tcp = false;
    bool json = false;
};

constexpr const char* chaos_closing = R"(Examples:
  perdure chaos --listen 127.0.0.1:8080 --to 127.0.0.1:9000 --fault reset-after:5%
  perdure chaos --to localhost:9000 --fault delay:200ms --fault inject:503:1%
  perdure chaos --tcp --to 127.0.0.1:5432 --fault cut-at-marker:COMMIT:after
  perdure chaos --to 127.0.0.1:9000 --plan plan.toml --seed 7 --record requests.jsonl --json

A fault of one word is NAME, then what it needs and how often, with colons between; plans in files
can say more, such as which requests. The faults are listed in reference/chaos.md: in docs/ of the
sources, in share/doc/perdure/ where it is installed.
The first line says where it listens. Ctrl-C ends it and prints the counters.
Exit status: 0; 1 if something could not be written; 3 if the plan cannot be read; 125 for wrong
flags, a wrong plan, or an address that cannot be listened on.)";

int chaos_problem(const std::string& text, int status = exit_code::usage) {
    say("perdure chaos: " + text);
    return status;
}

int read_file(const std::string& name, chaos::Plan& plan) {
    const auto text = read_small_file(name);
    if (!text)
        return chaos_problem("cannot read '" + name + "': " + text.error().message,
                             exit_code::unreadable);
    PlanReading reading = read_plan(*text);
    for (const Problem& one : reading.problems)
        say(name + ":" + in_words(one.place) + ": " + one.text);
    if (!reading.problems.empty())
        return chaos_problem(std::to_string(reading.problems.size()) +
                             (reading.problems.size() == 1 ? " problem" : " problems") +
                             "; reference/chaos.md in the documentation describes the files");
    plan = std::move(reading.plan);
    return exit_code::success;
}

int plan_from(const ChaosOptions& options, chaos::Plan& plan) {
    if (!options.plan.empty())
        if (const int wrong = read_file(options.plan, plan); wrong != exit_code::success)
            return wrong;
    for (const std::string& text : options.faults) {
        auto rule = rule_from_flag(text);
        if (!rule) return chaos_problem("--fault: " + rule.error().message);
        plan.rules.push_back(std::move(*rule));
    }
    if (options.tcp) plan.protocol = chaos::Protocol::tcp;
    if (options.seed != not_given) plan.seed = static_cast<std::uint64_t>(options.seed);
    return exit_code::success;
}

// Records into their file, while the proxy runs and once more at its end.
class RecordFile {
public:
    // Ids and paths of requests are for the owner of the file only, also of a file that was there.
    explicit RecordFile(const std::string& name) : name_{name} {
        if (name.empty()) return;
        fd_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY,
                     S_IRUSR | S_IWUSR);
        if (fd_ < 0) why_ = errno;
        else if (!make_private()) why_ = errno;
    }
    RecordFile(const RecordFile&) = delete;
    RecordFile& operator=(const RecordFile&) = delete;
    ~RecordFile() {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] bool wanted() const { return !name_.empty(); }
    [[nodiscard]] bool good() const { return why_ == 0; }
    void write(chaos::Proxy& proxy) {
        if (!wanted()) return;
        std::string lines;
        for (const chaos::Record& record : proxy.take_records())
            lines += to_json(record, proxy.started()) + '\n';
        if (good()) append(lines);
    }
    int verdict() const {
        if (good()) return exit_code::success;
        const std::string why = why_ == ELOOP ? "it is a link; name the file that it leads to"
                                              : std::generic_category().message(why_);
        return chaos_problem("cannot write '" + name_ + "': " + why, exit_code::output_failed);
    }

private:
    // A device or a pipe keeps the rights it has: others use it too.
    bool make_private() const {
        struct stat there{};
        if (::fstat(fd_, &there) != 0) return false;
        if (!S_ISREG(there.st_mode)) return true;
        return ::fchmod(fd_, S_IRUSR | S_IWUSR) == 0 && ::ftruncate(fd_, 0) == 0;
    }
    void append(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) {
                why_ = errno;
                return;
            }
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
    }

    std::string name_;
    int fd_ = -1;
    int why_ = 0;  // errno of the first write that failed
};

// Until a signal or the duration ends it.
int attend(const ChaosOptions& options, Signals& signals, chaos::Proxy& proxy, RecordFile& file) {
    ListeningClock clock{signals};
    const TimePoint end =
        options.duration ? after(clock.now(), *options.duration) : TimePoint::max();
    const Duration step = options.counters_every.value_or(never);
    TimePoint next_counters = after(clock.now(), step);
    while (!signals.stop().stop_requested() && clock.now() < end) {
        TimePoint until = std::min(end, next_counters);
        if (file.wanted()) until = std::min(until, clock.now() + write_every);
        clock.sleep_until(until, signals.stop());
        file.write(proxy);
        if (!file.good()) return file.verdict();
        if (clock.now() < next_counters) continue;
        next_counters = after(next_counters, step);
        const chaos::Counters counters = proxy.counters();
        const int printed =
            print(options.json ? to_json(counters) + "\n" : counters_line(counters));
        if (printed != exit_code::success) return printed;
    }
    return exit_code::success;
}

int chaos_command(const ChaosOptions& options) {
    chaos::Plan plan;
    if (const int wrong = plan_from(options, plan); wrong != exit_code::success) return wrong;
    // Before the proxy's thread begins, so that it leaves signals to this one.
    Signals signals;
    RecordFile file{options.record};
    if (!file.good()) return file.verdict();
    const Opening opening{plan, options.to};
    auto started = chaos::Proxy::start(
        std::move(plan),
        {.listen = options.listen,
         .to = options.to,
         .allow = options.anywhere ? chaos::Listening::anywhere : chaos::Listening::loopback_only,
         .id_header = options.id_header});
    if (!started) {
        std::string message = started.error().message;
        if (message.find("other machines") != std::string::npos) message += ": --listen-anywhere";
        return chaos_problem(message);
    }
    chaos::Proxy& proxy = **started;
    const int told = print(options.json ? opening.json(proxy) : opening.text(proxy));
    if (told != exit_code::success) return told;
    const int attended = attend(options, signals, proxy, file);
    if (attended != exit_code::success) return attended;
    file.write(proxy);
    const chaos::Counters counters = proxy.counters();
    const int printed = print(options.json ? to_json(counters) + "\n" : counters_text(counters));
    return printed != exit_code::success ? printed : file.verdict();
}

}  // namespace

void add_chaos(CommandLine& line) {
    auto options = std::make_shared<ChaosOptions>();
    Section section = line.command("chaos", "a proxy that breaks connections on purpose");
    section.text("--listen", options->listen, "where clients connect; port 0: a free one",
                 {.preset = "127.0.0.1:0"});
    section.text("--to", options->to, "the server: 127.0.0.1:9000", {.must = Must::be_given});
    section.text("--plan", options->plan, "a file of rules");
    section.texts("--fault", options->faults, "a rule of one word; may be given again");
    section.flag("--tcp", options->tcp, "bytes instead of HTTP");
    section.count("--seed", options->seed, 2'147'483'647, "of all chances",
                  {.preset = "what the plan says, else 1"});
    section.text("--record", options->record, "write every connection and request to this file");
    section.text("--id-header", options->id_header, "its value stands in the records",
                 {.preset = "x-request-id"});
    section.duration("--counters-every", options->counters_every, "print the counters so often");
    section.duration("--duration", options->duration, "end after so long");
    section.flag("--listen-anywhere", options->anywhere, "also for other machines");
    section.flag("--json", options->json, "lines of JSON");
    section.closing(chaos_closing);
    section.runs([options] { return chaos_command(*options); });
}

}  // namespace tool
