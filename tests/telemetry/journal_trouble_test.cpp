// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a journal whose disk is full, whose folder is gone, whose process is killed?
#include "perdure/telemetry/journal.hpp"

#include <csignal>
#include <optional>

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perdure/testing/thread_limit.hpp"
#include "telemetry/scratch.hpp"

namespace perdure::testing {
namespace {

struct JournalInTrouble : ::testing::Test {
    Scratch scratch;
    std::string path = scratch.at("calls.jsonl");
    static JournalOptions into(const std::string& where) {
        return {.path = where, .service_name = "shop", .process_every = 0s};
    }
};

TEST_F(JournalInTrouble, drops_and_counts_on_a_full_disk_and_fails_no_call) {
    Journal journal{into("/dev/full")};
    Caller users{{.name = "users"}, {.observer = &journal}};
    for (int i = 0; i < 10; ++i)
        EXPECT_TRUE(users.run({.name = "load"}, []() -> Result<int> { return 1; }));
    EXPECT_EQ(journal.flush(10s), Journal::Flushed::yes);
    const JournalCounts counts = journal.counts();
    EXPECT_EQ(counts.dropped, 10u);
    EXPECT_EQ(counts.written, 0u);
    EXPECT_EQ(counts.error, ENOSPC);
}

TEST_F(JournalInTrouble, without_a_thread_keeps_the_lines_and_starts_one_with_a_later_call) {
    std::optional<ThreadLimit> none{std::in_place, 0};
    Journal journal{into(path)};
    Caller users{{.name = "users"}, {.observer = &journal}};
    make_calls(users, 2);
    EXPECT_EQ(journal.counts().error, EAGAIN);
    none.reset();
    make_calls(users, 1);
    EXPECT_EQ(journal.flush(10s), Journal::Flushed::yes);
    EXPECT_EQ(journal.counts().written, 3u);
    EXPECT_EQ(journal.counts().error, 0);
}

TEST_F(JournalInTrouble, goes_on_when_the_folder_is_there_again) {
    const std::string folder = scratch.at("gone");
    Journal journal{into(folder + "/calls.jsonl")};
    Caller users{{.name = "users"}, {.observer = &journal}};
    make_calls(users, 3);
    EXPECT_EQ(journal.flush(10s), Journal::Flushed::yes);
    EXPECT_EQ(journal.counts().dropped, 3u);
    EXPECT_EQ(journal.counts().error, ENOENT);
    std::filesystem::create_directory(folder);
    make_calls(users, 2);
    EXPECT_EQ(journal.flush(10s), Journal::Flushed::yes);
    EXPECT_EQ(journal.counts().written, 2u);
    EXPECT_EQ(journal.counts().error, 0);
    const auto lines = lines_of(folder + "/calls.jsonl");
    EXPECT_TRUE(has(lines.at(0), R"("dropped_lines":3)")) << lines.at(0);
    EXPECT_EQ(count_of(lines, call_kind), 2u);
    std::filesystem::remove_all(folder);
    make_calls(users, 4);
    EXPECT_EQ(journal.flush(10s), Journal::Flushed::yes);
    EXPECT_EQ(journal.counts().dropped, 7u);
}

TEST_F(JournalInTrouble, is_not_held_by_a_pipe_nobody_reads) {
    ASSERT_EQ(::mkfifo(path.c_str(), S_IRUSR | S_IWUSR), 0);
    const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    {
        Journal journal{into(path)};
        Caller users{{.name = "users"}, {.observer = &journal}};
        make_calls(users, 1000);
        EXPECT_EQ(journal.flush(10s), Journal::Flushed::yes);
        EXPECT_GT(journal.counts().written, 0u);
        EXPECT_GT(journal.counts().dropped, 0u);
    }
    ::close(reader);
}

// In a process of its own: what it sets cannot be taken back. The child says by its code what it saw.
template <class Child>
int code_of(Child&& child) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(child());
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST_F(JournalInTrouble, leaves_whole_lines_at_the_limit_of_file_sizes_and_lives_on) {
    const int code = code_of([&] {
        const rlimit limit{5000, 5000};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
        Journal journal{into(path)};
        Caller users{{.name = "users"}, {.observer = &journal}};
        make_calls(users, 100);
        if (journal.flush(10s) != Journal::Flushed::yes) return 3;
        const JournalCounts counts = journal.counts();
        if (counts.written == 0 || counts.dropped == 0 || counts.error != EFBIG) return 4;
        return counts.written + counts.dropped == 100 ? 0 : 5;
    });
    EXPECT_EQ(code, 0);
    EXPECT_TRUE(read_file(path).ends_with("}\n"));
    EXPECT_GT(count_of(lines_of(path), call_kind), 0u);
}

TEST_F(JournalInTrouble, goes_on_when_a_full_disk_has_room_again) {
    const std::string disk = scratch.at("disk");
    std::filesystem::create_directory(disk);
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0)
        GTEST_SKIP() << "only root may mount a small disk";
    {
        std::ofstream{disk + "/ballast"} << std::string(48 * 1024, 'x');
        Journal journal{into(disk + "/calls.jsonl")};
        Caller users{{.name = "users"}, {.observer = &journal}};
        make_calls(users, 100);
        EXPECT_EQ(journal.flush(10s), Journal::Flushed::yes);
        const JournalCounts full = journal.counts();
        EXPECT_EQ(full.error, ENOSPC);
        EXPECT_GT(full.written, 0u);
        EXPECT_EQ(full.written + full.dropped, 100u);
        std::filesystem::remove(disk + "/ballast");
        make_calls(users, 5);
        EXPECT_EQ(journal.flush(10s), Journal::Flushed::yes);
        EXPECT_EQ(journal.counts().written, full.written + 5);
        EXPECT_EQ(count_of(lines_of(disk + "/calls.jsonl"), call_kind), full.written + 5);
    }
    EXPECT_EQ(::umount(disk.c_str()), 0);
}

TEST_F(JournalInTrouble, of_a_killed_process_is_whole_but_for_the_last_line) {
    for (int round = 0; round < 5; ++round) {
        std::array<int, 2> ready{};
        ASSERT_EQ(::pipe(ready.data()), 0);
        const pid_t pid = ::fork();
        if (pid == 0) {
            JournalOptions options = into(path);
            options.write_every = 1ms;
            Journal journal{options};
            Caller users{{.name = "users"}, {.observer = &journal}};
            for (int i = 0;; ++i) {
                make_calls(users, 1);
                if (i != 500 + 100 * round) continue;
                (void)journal.flush(10s);
                (void)!::write(ready[1], "x", 1);
            }
        }
        char word = 0;
        ASSERT_EQ(::read(ready[0], &word, 1), 1);
        ::kill(pid, SIGKILL);
        int status = 0;
        ::waitpid(pid, &status, 0);
        ::close(ready[0]);
        ::close(ready[1]);
        EXPECT_GT(lines_of(path).size(), 500u);  // each is sound; a torn one is not given
        std::filesystem::remove(path);
    }
}

}  // namespace
}  // namespace perdure::testing
