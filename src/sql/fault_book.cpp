// SPDX-License-Identifier: Apache-2.0
#include "fault_book.hpp"

#include <algorithm>

#include "perdure/time/start_thread.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace {

constexpr Duration ends_within = 5s;  // a zombie whose server does not answer

std::size_t index(Moment moment) noexcept { return static_cast<std::size_t>(moment); }

}  // namespace

void FaultBook::add(Moment moment, std::initializer_list<Fault> faults) {
    const std::lock_guard lock{mutex_};
    auto& queue = planned_[index(moment)];
    queue.insert(queue.end(), faults.begin(), faults.end());
}

void FaultBook::by_chance(const FaultChances& chances) {
    const std::lock_guard lock{mutex_};
    chances_ = chances;
    dice_.emplace(chances.seed);
}

void FaultBook::clear() {
    const std::lock_guard lock{mutex_};
    for (auto& queue : planned_) queue.clear();
    chances_.reset();
}

Fault FaultBook::next(Moment moment) {
    const std::lock_guard lock{mutex_};
    const std::array<int*, 4> counters{&counts_.opens, &counts_.begins, &counts_.executions,
                                       &counts_.commits};
    ++*counters[index(moment)];
    auto& queue = planned_[index(moment)];
    if (queue.empty()) return chances_ ? by_dice(moment) : Fault{Planned::pass};
    Fault fault = std::move(queue.front());
    queue.pop_front();
    return fault;
}

Fault FaultBook::by_dice(Moment moment) {
    const std::array<const Odds*, 4> all{&chances_->open, &chances_->begin, &chances_->execute,
                                         &chances_->commit};
    const Odds& odds = *all[index(moment)];
    const double throw_of = dice_->next();
    if (throw_of < odds.fail_before) return Planned::fail_before;
    if (throw_of < odds.fail_before + odds.fail_after) return Planned::fail_after;
    if (throw_of < odds.fail_before + odds.fail_after + odds.half_open)
        return Fault::zombie(dice_->next() < 0.5 ? Ending::rolls_back : Ending::commits,
                             chances_->half_open_for);
    return Planned::pass;
}

void FaultBook::count_roll_back() {
    const std::lock_guard lock{mutex_};
    ++counts_.roll_backs;
}

void FaultBook::count_fault() {
    const std::lock_guard lock{mutex_};
    ++counts_.faults;
}

FaultCounts FaultBook::counts() const {
    const std::lock_guard lock{mutex_};
    FaultCounts counts = counts_;
    counts.zombies = static_cast<int>(std::ranges::count(zombies_, false, &Zombie::ended));
    return counts;
}

std::uint64_t FaultBook::number_session() {
    const std::lock_guard lock{mutex_};
    return ++sessions_;
}

void FaultBook::bury(Remnant remnant, const Fault& fault) {
    std::list<Zombie> dead;  // their threads are done; joined after the lock is let go
    const std::lock_guard lock{mutex_};
    for (auto it = zombies_.begin(); it != zombies_.end();) {
        const auto here = it++;
        if (here->ended && !here->claimed) dead.splice(dead.end(), zombies_, here);
    }
    Clock& clock = remnant.clock;
    Zombie& zombie =
        zombies_.emplace_back(Zombie{.remnant = std::move(remnant), .ending = fault.ending});
    if (fault.lasts == never) return;
    const TimePoint until = after(clock.now(), fault.lasts);
    auto waiting = start_thread([this, &zombie, until](const std::stop_token& stop) {
        if (zombie.remnant.clock.sleep_until(until, stop) == Woken::on_time) end(zombie);
    });
    if (waiting) zombie.waiting = *std::move(waiting);  // else release() ends it
}

void FaultBook::end(Zombie& zombie) {
    Remnant& remnant = zombie.remnant;
    const Bounds bounds{.deadline = Deadline::in(ends_within, remnant.clock.now())};
    // What the server says to it is nobody's business any more.
    if (zombie.ending == Ending::commits) static_cast<void>(remnant.session->commit(bounds));
    else remnant.session->roll_back(bounds);
    remnant.session.reset();
    const std::lock_guard lock{mutex_};
    zombie.ended = true;
}

bool FaultBook::lives(std::uint64_t number) const {
    const std::lock_guard lock{mutex_};
    return std::ranges::any_of(zombies_, [number](const Zombie& zombie) {
        return zombie.remnant.number == number && !zombie.ended;
    });
}

FaultBook::Zombie* FaultBook::claim() {
    const std::lock_guard lock{mutex_};
    const auto found = std::ranges::find(zombies_, false, &Zombie::claimed);
    if (found == zombies_.end()) return nullptr;
    found->claimed = true;
    return &*found;
}

void FaultBook::release() {
    const std::lock_guard one_at_a_time{releasing_};
    while (Zombie* const zombie = claim()) {
        zombie->waiting.request_stop();
        if (zombie->waiting.joinable()) zombie->waiting.join();
        if (zombie->remnant.session) end(*zombie);
    }
    const std::lock_guard lock{mutex_};
    zombies_.remove_if([](const Zombie& zombie) { return zombie.claimed; });
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
