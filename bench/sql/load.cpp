// SPDX-License-Identifier: Apache-2.0
//
// Runs clients in turn on databases that are already there and prints what each transaction took, as
// JSON. They take turns transaction by transaction, each time in another order, since a disk has moods.
//
//     perdure_sql_load full 1000 libpq postgres://… postgres_token postgres://…
#include "load.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "../allocations.hpp"
#include "perdure/time/clock.hpp"

namespace bench {

void give_up(std::string_view client, std::string_view why) {
    std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(client.size()), client.data(),
                 static_cast<int>(why.size()), why.data());
    std::_Exit(1);
}

Client::~Client() = default;

namespace {

// By hand, and slower on purpose. On a disk that answers by the tick of a clock, a median may hide what
// a client adds: where it hides this, it says nothing about the others either.
class Later final : public Client {
public:
    explicit Later(std::unique_ptr<Client> inner) : inner_{std::move(inner)} {}
    void once(const Movement& movement) override {
        perdure::Clock& clock = perdure::system_clock();
        const perdure::TimePoint until = clock.now() + std::chrono::microseconds{200};
        while (clock.now() < until) continue;
        inner_->once(movement);
    }

private:
    std::unique_ptr<Client> inner_;
};

template <MakeClient make>
std::unique_ptr<Client> make_later(const Place& place) {
    return std::make_unique<Later>(make(place));
}

struct Row {
    std::string_view name;
    MakeClient make;
};

constexpr Row rows[] = {
    {"sqlite3", make_sqlite3},
    {"sqlite3_later", make_later<make_sqlite3>},
    {"sqlite3_token", make_sqlite3_token},
    {"sqlite_token", make_sqlite_token},
    {"sqlite_plain", make_sqlite_plain},
    {"sqlite_coroutine", make_sqlite_coroutine},
#ifdef BENCH_POSTGRES
    {"libpq", make_libpq},
    {"libpq_later", make_later<make_libpq>},
    {"libpq_token", make_libpq_token},
    {"postgres_token", make_postgres_token},
    {"postgres_noted", make_postgres_noted},
    {"postgres_plain", make_postgres_plain},
    {"postgres_coroutine", make_postgres_coroutine},
#endif
};

constexpr std::uint64_t warming = 20;

struct Runner {
    std::string_view name;
    std::unique_ptr<Client> client;
    std::vector<std::int64_t> nanoseconds{};
    std::uint64_t allocated = 0;

    void turn(std::uint64_t number) {
        perdure::Clock& clock = perdure::system_clock();
        const std::uint64_t before = allocations();
        const perdure::TimePoint began = clock.now();
        client->once(movement(number));
        nanoseconds.push_back((clock.now() - began).count());
        allocated += allocations() - before;
    }
    // Microseconds.
    double quantile(double share) {
        const auto last = static_cast<double>(nanoseconds.size() - 1);
        const auto there = nanoseconds.begin() + static_cast<std::ptrdiff_t>(share * last);
        std::nth_element(nanoseconds.begin(), there, nanoseconds.end());
        return 1e-3 * static_cast<double>(*there);
    }
};

// Fisher and Yates, on a generator that gives the same orders every time.
void shuffle(std::vector<Runner*>& order, std::uint64_t& state) {
    for (std::size_t left = order.size(); left > 1; --left) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        std::swap(order[left - 1], order[(state >> 33u) % left]);
    }
}

void measure(std::vector<Runner>& runners, std::uint64_t turns) {
    std::vector<Runner*> order;
    for (Runner& runner : runners) {
        for (std::uint64_t i = 0; i < warming; ++i) runner.client->once(movement(i));
        runner.nanoseconds.reserve(turns);
        order.push_back(&runner);
    }
    std::uint64_t state = 1;
    for (std::uint64_t i = 0; i < turns; ++i) {
        shuffle(order, state);
        for (Runner* const runner : order) runner->turn(i);
    }
    std::printf("{");
    const char* comma = "";
    for (Runner& runner : runners) {
        std::printf("%s\"%.*s\": {\"transactions\": %llu, \"p50_us\": %.1f, \"p99_us\": %.1f, "
                    "\"allocations\": %.2f}",
                    comma, static_cast<int>(runner.name.size()), runner.name.data(),
                    static_cast<unsigned long long>(turns + warming), runner.quantile(0.5),
                    runner.quantile(0.99),
                    static_cast<double>(runner.allocated) / static_cast<double>(turns));
        comma = ", ";
    }
    std::printf("}\n");
}

int list() {
    for (const Row& row : rows)
        std::printf("%.*s\n", static_cast<int>(row.name.size()), row.name.data());
    return 0;
}

int run(const std::vector<std::string>& words) {
    if (words.size() == 1 && words[0] == "list") return list();
    const std::uint64_t turns = words.size() < 4 ? 0 : std::strtoull(words[1].c_str(), nullptr, 10);
    if (turns == 0 || words.size() % 2 != 0 || (words[0] != "full" && words[0] != "normal")) {
        std::fputs("usage: perdure_sql_load full|normal TURNS CLIENT PLACE [CLIENT PLACE]..., "
                   "or list\n",
                   stderr);
        return 2;
    }
    std::vector<Runner> runners;
    for (std::size_t i = 2; i < words.size(); i += 2) {
        const auto* const found = std::ranges::find(rows, std::string_view{words[i]}, &Row::name);
        if (found == std::end(rows)) give_up(words[i], "there is no such client");
        const Place place{.where = words[i + 1],
                          .durability = words[0] == "full" ? Durability::full : Durability::normal};
        runners.push_back({.name = found->name, .client = found->make(place)});
    }
    measure(runners, turns);
    return 0;
}

}  // namespace
}  // namespace bench

int main(int count, char** words) { return bench::run({words + 1, words + count}); }
