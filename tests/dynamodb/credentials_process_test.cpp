// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a command that should print keys, and does, or does something else?
#include <gtest/gtest.h>

#include <chrono>

#include <csignal>
#include <sys/wait.h>

#include "credentials_home.hpp"
#include "dynamodb/process_credentials.hpp"
#include "dynamodb/process_credentials_command.hpp"
#include "perdure/dynamodb/credentials.hpp"
#include "refresh_stage.hpp"

namespace perdure::dynamodb {
namespace {

const std::string good_output =
    R"({"Version":1,"AccessKeyId":"PROC","SecretAccessKey":"HUSH","SessionToken":"HUSH"})";

// One try, with the time it has.
class Try {
public:
    explicit Try(Duration within = patience)
        : attempt{.deadline = Deadline::in(within, system_clock().now()),
                  .clock = &system_clock(),
                  .link = &link} {}
    std::stop_source stop{};
    std::stop_token token = stop.get_token();
    AttemptLink link{token, AttemptLink::Lends::outside};
    Attempt attempt;
};

CommandRun run(const std::string& command, Duration within = patience) {
    const Home home;
    const Try once{within};
    return run_command(command, home.surroundings, once.attempt);
}

bool no_child_is_left() { return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

TEST(Command, gives_its_output_and_how_it_ended) {
    const CommandRun done = run("printf 'a b'; exit 3");
    EXPECT_EQ(done.end, CommandEnd::exited);
    EXPECT_EQ(done.number, 3);
    EXPECT_EQ(done.output, "a b");
    EXPECT_EQ(run("kill -9 $$").end, CommandEnd::killed);
    EXPECT_EQ(run("kill -9 $$").number, SIGKILL);
    EXPECT_EQ(run("no-such-command-anywhere").number, 127);
    EXPECT_TRUE(no_child_is_left());
}

TEST(Command, sees_its_own_variables_and_no_input) {
    EXPECT_EQ(run("echo $AWS_EC2_METADATA_DISABLED; cat").output, "true\n");
}

TEST(Command, may_write_64_kb_and_not_more) {
    EXPECT_EQ(run("head -c 65536 /dev/zero").output.size(), 65'536u);
    EXPECT_EQ(run("head -c 65537 /dev/zero").end, CommandEnd::too_much);
    EXPECT_EQ(run("cat /dev/zero").end, CommandEnd::too_much);
    EXPECT_TRUE(no_child_is_left());
}

TEST(Command, may_complain_as_much_as_it_likes_and_nothing_of_it_is_kept) {
    const CommandRun done = run("head -c 1000000 /dev/zero >&2; echo HUSH >&2; printf out");
    EXPECT_EQ(done.end, CommandEnd::exited);
    EXPECT_EQ(done.number, 0);
    EXPECT_EQ(done.output, "out");
}

TEST(Command, that_is_too_slow_is_killed_with_all_it_started) {
    const TimePoint began = system_clock().now();
    const CommandRun done = run("echo begun; sleep 600 & sleep 600; echo never", 200ms);
    EXPECT_EQ(done.end, CommandEnd::overdue);
    EXPECT_EQ(done.output, "begun\n");
    EXPECT_LT(system_clock().now() - began, patience);
    EXPECT_TRUE(no_child_is_left());
}

TEST(Command, that_leaves_its_output_open_with_another_ends_all_the_same) {
    const TimePoint began = system_clock().now();
    const CommandRun done = run("echo done; sleep 3 &");
    EXPECT_EQ(done.end, CommandEnd::exited);
    EXPECT_EQ(done.output, "done\n");
    EXPECT_LT(system_clock().now() - began, 2s);
}

TEST(Command, that_closes_its_output_is_waited_for) {
    const CommandRun done = run("exec >&- 2>&-; exit 7");
    EXPECT_EQ(done.end, CommandEnd::exited);
    EXPECT_EQ(done.number, 7);
}

TEST(Command, is_stopped_at_once) {
    const Home home;
    Try once;
    std::jthread stopper{[&] { once.stop.request_stop(); }};
    EXPECT_EQ(run_command("sleep 600", home.surroundings, once.attempt).end, CommandEnd::stopped);
    EXPECT_TRUE(no_child_is_left());
}

TEST(Command, runs_with_signals_as_they_are_by_nature) {
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    const CommandRun done = run("kill -TERM $$; exit 0");
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    EXPECT_EQ(done.end, CommandEnd::killed);
}

Result<Keys> fetch(const std::string& command, Duration within = patience) {
    const Home home;
    const Try once{within};
    return process_source({command, "~/.aws/config:2"}, home.surroundings, within)
        ->fetch(once.attempt);
}

TEST(CredentialProcess, gives_the_keys_it_prints) {
    const auto keys = fetch("echo '" + good_output + "'");
    ASSERT_TRUE(keys) << to_string(keys.error());
    EXPECT_EQ(*keys, (Keys{"PROC", "HUSH", "HUSH"}));
}

TEST(CredentialProcess, that_fails_says_why_and_never_what_it_printed) {
    struct Row {
        std::string command;
        Cause cause;
        const char* says;
    };
    const Row rows[] = {
        {"echo HUSH; echo 'HUSH is expired' >&2; exit 2", Cause::unavailable,
         "it ended with status 2; run the command by hand to see what it says"},
        {"set -x; export AWS_SECRET_ACCESS_KEY=HUSH; exit 1", Cause::unavailable, "status 1; run"},
        {"echo HUSH >&2; kill -TERM $$", Cause::unavailable, "ended by signal 15; run the command"},
        {"echo HUSH >&2; echo no JSON", Cause::corrupt, "of its output, it is not a JSON object"},
        {"echo HUSH", Cause::corrupt, "of its output, it is not a JSON object"},
        {"true", Cause::corrupt, "it is not a JSON object"},
        {R"(echo '{"Version":1,"AccessKeyId":"A","SecretAccessKey":"HUSH","Expiration":"HUSH"}')",
         Cause::corrupt, "its Expiration"},
        {"yes HUSH", Cause::too_large, "more than 64 KB"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.command);
        const auto keys = fetch(row.command);
        ASSERT_FALSE(keys);
        EXPECT_EQ(keys.error().cause, row.cause);
        EXPECT_EQ(keys.error().effect, Effect::none);
        EXPECT_TRUE(says(keys.error(), row.says)) << keys.error().message;
        EXPECT_TRUE(tells_no_secret(keys.error()));
    }
    EXPECT_EQ(fetch("sleep 600", 100ms).error().cause, Cause::timed_out);
}

TEST(CredentialProcess, is_found_by_the_chain_and_run_when_keys_are_wanted) {
    Home home;
    home.config("[profile dev]\ncredential_process = echo ran >> " + home.at("trace") + "; cat " +
                home.at("keys") + " # as told\n");
    home.file("keys", good_output).set("AWS_PROFILE", "dev");
    const auto found = find_credentials(home.surroundings);
    ASSERT_TRUE(found) << to_string(found.error());
    EXPECT_FALSE(std::filesystem::exists(home.at("trace")));
    const WallTime now = system_clock().wall();
    EXPECT_TRUE(becomes([&] { return (*found)->current(now) != nullptr; }));
    EXPECT_EQ((*found)->current(now)->id, "PROC");
    EXPECT_FALSE((*found)->problem());
}

TEST(CredentialProcess, that_does_not_work_is_a_problem_soon) {
    Home home;
    home.config("[default]\ncredential_process = echo HUSH; exit 4\n");
    const auto found = find_credentials(home.surroundings);
    ASSERT_TRUE(found);
    EXPECT_FALSE((*found)->current(system_clock().wall()));
    ASSERT_TRUE(becomes([&] { return (*found)->problem().has_value(); }));
    EXPECT_EQ((*found)->problem()->code, "credential-process");
    EXPECT_TRUE(
        says(*(*found)->problem(), "credential_process of ~/.aws/config:2: it ended with status 4"))
        << (*found)->problem()->message;
    EXPECT_TRUE(tells_no_secret(*(*found)->problem()));
}

TEST(CredentialProcess, that_hangs_does_not_hold_the_end_up) {
    Home home;
    home.config("[default]\ncredential_process = sleep 600\n");
    const TimePoint began = system_clock().now();
    {
        const auto found = find_credentials(home.surroundings);
        ASSERT_TRUE(found);
        EXPECT_FALSE((*found)->current(system_clock().wall()));
    }
    EXPECT_LT(system_clock().now() - began, patience);
}

}  // namespace
}  // namespace perdure::dynamodb
