// SPDX-License-Identifier: Apache-2.0
//
// perdure offset: when on this host should this job run?
#include <memory>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "exit_code.hpp"
#include "perdure/time/clock.hpp"
#include "perdure/time/periodic.hpp"
#include "text/calendar.hpp"
#include "text/duration_text.hpp"
#include "text/json_text.hpp"
#include "text/output.hpp"

namespace tool {

namespace {

struct OffsetOptions {
    std::string job;
    std::string host;  // empty: this machine
    Duration every{};
    bool json = false;
};

constexpr int times_shown = 3;

constexpr const char* offset_closing = R"(Example:
  perdure offset --job purge --every 1h
  perdure offset --job purge --every 1h --host "$HOSTNAME"      in a container

D is a duration: 30s, 15m, 1h, 7d. The same host and job give the same offset for ever.
Times are UTC.
Exit status: 0; 1 if the answer could not be written; 125 for wrong flags.)";

std::vector<WallTime> next_times(const Schedule& schedule) {
    std::vector<WallTime> times;
    WallTime at = system_clock().wall();
    while (times.size() < times_shown) times.push_back(at = schedule.next_after(at));
    return times;
}

std::string as_json(const OffsetOptions& options, const Schedule& schedule,
                    const Calendar& calendar) {
    JsonLine line;
    line.text("job", options.job);
    // A machine id is not for logs and tickets, so it is never shown.
    if (options.host.empty()) line.raw("host", "null");
    else line.text("host", options.host);
    line.raw("every_seconds", in_seconds(options.every))
        .raw("offset_seconds", in_seconds(schedule.offset));
    std::string times;
    for (const WallTime at : next_times(schedule))
        times += (times.empty() ? "" : ",") + json_text(in_utc(at));
    line.raw("next", "[" + times + "]");
    line.raw("crontab", calendar.crontab.empty() ? "null" : json_text(calendar.crontab));
    line.raw("systemd", calendar.systemd.empty() ? "null" : json_text(calendar.systemd));
    return std::move(line).end();
}

std::string for_people(const OffsetOptions& options, const Schedule& schedule,
                       const Calendar& calendar) {
    std::string text = "offset   " + in_seconds(schedule.offset) + " s into every " +
                       in_seconds(options.every) + " s, for job " + options.job + " on " +
                       (options.host.empty() ? "this machine" : options.host) + "\n";
    const char* label = "next     ";
    for (const WallTime at : next_times(schedule)) {
        text += label + in_utc(at) + "\n";
        label = "         ";
    }
    if (!calendar.crontab.empty()) text += "crontab  " + calendar.crontab + "\n";
    if (!calendar.crontab.empty()) text += "         where cron runs in UTC\n";
    if (!calendar.systemd.empty()) text += "systemd  " + calendar.systemd + "\n";
    // Without it systemd moves a timer by up to a minute, to wake up less often.
    if (!calendar.systemd.empty()) text += "         with AccuracySec=1s\n";
    if (calendar.crontab.empty())
        text += "         no crontab line says this; a period of whole minutes that divides an "
                "hour, of whole\n"
                "         hours that divides a day, 1d or 7d has one\n";
    return text;
}

int offset(const OffsetOptions& options) {
    const std::string host = options.host.empty() ? host_identity() : options.host;
    if (host.empty()) {
        say("perdure offset: this machine has neither an id nor a name; give it one: --host NAME");
        return exit_code::usage;
    }
    const Schedule schedule{.period = options.every,
                            .offset = stable_offset(host, options.job, options.every)};
    const Calendar calendar = calendar_of(schedule);
    return print(options.json ? as_json(options, schedule, calendar)
                              : for_people(options, schedule, calendar));
}

}  // namespace

void add_offset(CommandLine& line) {
    auto options = std::make_shared<OffsetOptions>();
    Section section = line.command("offset", "the stable offset of a periodic job on this host");
    section.text("--job", options->job, "the job's name", {.must = Must::be_given});
    section.duration("--every", options->every, "how often it runs", {.must = Must::be_given});
    section.text("--host", options->host, "a stable name of the host",
                 {.preset = "this machine's id"});
    section.flag("--json", options->json, "the answer as one line of JSON");
    section.closing(offset_closing);
    section.runs([options] { return offset(*options); });
}

}  // namespace tool
