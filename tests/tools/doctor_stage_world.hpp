// SPDX-License-Identifier: Apache-2.0
//
// How is a script played? Each instance has the library's own Memory for each dependency, each call
// is turned by the library's own Progress and described by its own Diagnostics. What is made up is
// the network, the services, and the processor the process runs on; time is virtual.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include "doctor_stage_dice.hpp"
#include "doctor_stage_script.hpp"
#include "perdure/call/diagnostics.hpp"
#include "perdure/call/progress.hpp"

namespace stage {

class Lines;

// What an attempt is doing, as its transport knows it.
struct Trial {
    int number = 0;
    int endpoint = 0;
    Duration started{};
    Duration until = perdure::never;
    bool reused = false;
    int uses = 0;                      // of its connection, this one included
    std::array<Duration, 4> set_up{};  // pool, dns, connect, tls
    Duration ready = perdure::never;
    Duration sent = perdure::never;
    Duration answered = perdure::never;
    std::optional<perdure::Failure> breaks{};  // after the connect phase
    bool touched = false;                      // by the story
};

struct Call {
    std::uint64_t id = 0;
    int instance = 0;
    int dependency = 0;
    int kind = 0;  // of operation
    int subject = 0;
    Duration began{};
    Duration armed = perdure::never;
    perdure::Diagnostics diagnostics{};
    perdure::Operation operation{};
    std::unique_ptr<perdure::SeededRandom> random{};
    std::unique_ptr<perdure::Progress> progress{};
    std::optional<Trial> trial{};
    int attempts = 0;
    int home = 0;
    bool there = false;    // where the story takes place
    bool within = false;   // where and when the story takes place
    bool touched = false;  // by it
};

struct Tally {
    long calls = 0;
    long failed = 0;
    long attempts = 0;
    long there = 0;  // calls that began where the story took place, at any time
    long reach = 0;  // calls that began where and when the story took place
    long hits = 0;   // of all calls, those the story touched
    long tries = 0;  // attempts of the touched calls
};

// Used by one thread.
class World {
public:
    World(const Script& script, Lines& lines);
    ~World();

    Tally play();

private:
    struct Connection {
        Duration idle_since{};
        int uses = 0;
    };
    struct Door {  // of one instance to one endpoint
        std::vector<Connection> idle{};
        Duration name_until{};
        int failures = 0;  // in a row
        Duration marked_until{};
    };
    struct Process {
        bool up = true;
        int lives = 0;
        int names = 0;  // it has had
        std::vector<std::unique_ptr<perdure::Memory>> memories{};
        std::vector<std::vector<Door>> doors{};
        std::uint64_t calls = 0;  // since the last line
        std::uint64_t failed = 0;
        long plain = 0;  // calls that succeeded at once
        Duration told{};
    };
    struct Service {  // one endpoint
        double free_at = 0;
    };
    struct Bucket {  // one partition
        double tokens = 0;
        double at = -1;
    };
    struct Event {
        Duration at{};
        std::uint64_t order = 0;
        std::function<void()> what{};
    };
    struct Answer {
        std::optional<perdure::Failure> failure{};
        Duration body{};
    };

    // The clockwork.
    void at(Duration when, std::function<void()> what);
    void start(int instance);
    void stop(int instance);
    void restart(const Restart& restart);
    void tick(int instance, int life, Duration due);
    [[nodiscard]] Duration seen(int instance, Duration when);
    [[nodiscard]] Duration end_of_pause(int instance) const;
    [[nodiscard]] std::string name_of(int instance) const;
    // By the instance's own clock, which is not quite right.
    [[nodiscard]] perdure::WallTime wall(int instance, Duration at) const;
    [[nodiscard]] const Fault* fault(Kind kind, int instance, int dependency, int endpoint) const;
    [[nodiscard]] bool strikes(const Fault* fault, Trial* trial);

    // Calls.
    void draw_arrivals();
    void begin(int instance);
    [[nodiscard]] int pick_dependency();
    void describe(Call& call);
    void pump(Call& call);
    void arm(Call& call, Duration until);
    void wake(std::uint64_t id, Duration due);
    void finish(Call& call);
    [[nodiscard]] int pick_instance();
    [[nodiscard]] int pick_subject(int dependency);
    [[nodiscard]] int place_of(const Call& call, int step) const;

    // Attempts: doctor_stage_transport.cpp.
    void attempt(Call& call, const perdure::Step& step);
    void dial(Call& call, Trial& trial);
    void send(std::uint64_t id, int number);
    void serve(std::uint64_t id, int number, int to, int place);
    [[nodiscard]] Answer decide_answer(Call& call, Trial& trial, Duration& takes);
    [[nodiscard]] std::optional<perdure::Failure> throttle(Call& call, Trial& trial);
    [[nodiscard]] std::optional<perdure::Failure> refuse(Call& call, Trial& trial);
    [[nodiscard]] std::optional<Duration> queue(int to, int place);
    [[nodiscard]] Duration retransmissions(const Call& call, Trial& trial, Duration first,
                                           int packets);
    void deliver(std::uint64_t id, int number, Answer answer);
    void succeed(std::uint64_t id, int number);
    void fail(Call& call, perdure::Failure failure);
    void time_out(Call& call);
    void leave(Call& call);
    [[nodiscard]] perdure::Phases phases_of(const Trial& trial) const;
    [[nodiscard]] Call* find(std::uint64_t id, int number);
    [[nodiscard]] Door& door(const Call& call);

    const Dependency& dependency(int index) const {
        return script_.dependencies[static_cast<std::size_t>(index)];
    }
    static perdure::TimePoint point(Duration at) { return perdure::TimePoint{at + origin}; }
    // Progress is never asked at a time near the ends of the range.
    static constexpr Duration origin = std::chrono::hours{1};

    const Script& script_;
    Lines& lines_;
    Dice dice_;
    Duration now_{};
    std::uint64_t order_ = 0;
    std::uint64_t calls_begun_ = 0;
    std::vector<Event> agenda_;
    std::vector<double> rates_;  // at even steps
    std::vector<Process> processes_;
    std::vector<std::vector<Service>> services_;
    std::vector<std::vector<Bucket>> buckets_;
    std::vector<std::vector<double>> subjects_;  // cumulative shares
    std::array<std::vector<Fault>, kind_count> faults_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Call>> calls_;
    Tally tally_;
};

}  // namespace stage
