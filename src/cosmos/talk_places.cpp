// SPDX-License-Identifier: Apache-2.0
//
// Where an attempt goes: which regions there are for it, and which of them comes next.
#include <algorithm>
#include <utility>

#include "talk.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

Talk::Candidates Talk::candidates(TimePoint now) const {
    if (errand_.only) return {{errand_.only}, 1};
    if (errand_.purpose == Purpose::account) return {client_.account_places(now), 1};
    if (about_) return {topology_ ? topology_->writes : RegionList{about_->last_}, 1};
    // Databases and containers are made and changed in one region only.
    const bool metadata = envelope_.resource != Resource::item;
    RegionList list = topology_->of(does());
    if (metadata && does() == Does::write && topology_->multi_write && topology_->write_region)
        list = {topology_->write_region};
    if (metadata) return {std::move(list), 1};
    leave_out_excluded(list);
    const std::size_t well = sort_by_health(list, now);
    return {std::move(list), well};
}

void Talk::leave_out_excluded(RegionList& list) const {
    if (options_.excluded.empty() || one_writer()) return;
    RegionList left;
    for (const Region* const region : list)
        if (std::ranges::none_of(options_.excluded, [&](const std::string& name) {
                return same_region(name, region->name);
            }))
            left.push_back(region);
    if (!left.empty()) list = std::move(left);
}

std::size_t Talk::sort_by_health(RegionList& list, TimePoint now) const {
    if (one_writer() && !by_partition()) return 1;  // there is no choice
    const bool ranges = shelved_ && shelved_->health.any(now);
    const std::string own_range = ranges ? range() : std::string{};
    return cosmos::sort_by_health(list, *topology_, does(), now, [&](const Region& region) {
        RegionHealth health;
        if (ranges) health.place = shelved_->health.find(region, own_range, does());
        if (!health.place && !by_partition()) health.place = &region.health(does());
        if (ranges && by_partition())
            health.refused_until = shelved_->health.refused_until(region, own_range);
        return health;
    });
}

const Region* Talk::writer() const {
    if (topology_->by_partition && shelved_)
        if (const Region* const own = shelved_->health.writer_of(range())) return own;
    return topology_->writes.front();
}

std::string Talk::range() const {
    if (!envelope_.range.empty()) return std::string{envelope_.range};
    if (!shelved_ || !envelope_.key) return {};
    const auto known = known_ ? known_ : shelved_->known();
    const PartitionRange* const found = Shelved::range_of(known.get(), *envelope_.key);
    return found ? found->id : std::string{};
}

bool Talk::been_at(const Region* region) const noexcept {
    return std::ranges::find(visited_, region) != visited_.end();
}

const Region* Talk::usual_first(TimePoint now) const {
    if (errand_.purpose != Purpose::call || !shelved_ || !options_.excluded.empty()) return nullptr;
    const Region* const front = topology_->of(does()).front();
    if (one_writer()) return by_partition() && shelved_->health.any(now) ? nullptr : front;
    return front->health(does()).marked(now) || shelved_->health.any(now) ? nullptr : front;
}

bool Talk::spoken_for(const Region* region, int number) const noexcept {
    const int used = last_ ? last_endpoint_ : -1;
    return std::ranges::any_of(spots_, [&](const Spot& spot) {
        return spot.region == region && spot.number > used && spot.number < number;
    });
}

const Region* Talk::pick_region(int number, TimePoint now) {
    if (!last_ && number == 0)
        if (const Region* const first = usual_first(now)) return first;
    const auto [list, well] = candidates(now);
    if (!last_ && number == 0) return list.front();
    const auto is_new = [&](const Region* region) {
        return !been_at(region) && !spoken_for(region, number);
    };
    const auto next = std::ranges::find_if(list, is_new);
    if (wants_writer_) {
        const Region* const wanted = writer();
        if (wanted != last_ && (is_new(wanted) || next == list.end())) return wanted;
    }
    // Where one region writes it is the best of now, which may be another one than just before.
    if (one_writer() && !by_partition()) return list.front();
    // After a stray failure one that does well, be it where the call has been, comes before one that is
    // known to be ill; a refusal is followed by every other region once.
    const auto healthy_end = list.begin() + static_cast<std::ptrdiff_t>(well);
    if (next != list.end() && (!was_ill_ || next < healthy_end || well == 0)) return *next;
    const auto free_again = [&](const Region* region) {
        return region != last_ && !spoken_for(region, number);
    };
    const auto end = was_ill_ && well > 0 ? healthy_end : list.end();
    const auto other = std::find_if(list.begin(), end, free_again);
    if (other != end) return *other;
    if (was_ill_ && well > 0 && std::find(list.begin(), end, last_) == end) return list.front();
    return last_;
}

Talk::Spot Talk::pick(int number, TimePoint now) {
    if (!topology_ && !errand_.only && errand_.purpose != Purpose::account)
        return {.number = number, .place = &client_.nowhere};
    const Region* const region = pick_region(number, now);
    Place* place = &region->health(does());
    if (shelved_ && shelved_->health.any(now))
        if (Place* const own = shelved_->health.find(*region, range(), does())) place = own;
    return {.number = number, .region = region, .place = place};
}

// Errands have the account's own address beside the regions, and a caller of their own.
Places* Talk::places() {
    if (errand_.purpose != Purpose::call || client_.options.discovery != Discovery::whole_account)
        return nullptr;
    return client_.regions->single() ? nullptr : this;
}

Place& Talk::at(int endpoint, TimePoint now) {
    Spot& spot = spots_[static_cast<std::size_t>(endpoint) % spots_.size()];
    if (spot.number == endpoint) return *spot.place;
    // What has just failed may be marked since; route() has what ready() found.
    if (auto fresh = client_.regions->now(now)) use(std::move(fresh));
    spot = pick(endpoint, now);
    return *spot.place;
}

int Talk::count(TimePoint now) const {
    if (!topology_ || (one_writer() && !by_partition())) return 1;
    return static_cast<int>(candidates(now).list.size());
}

void Talk::race_ended(Place* winning_copy) {
    if (raced_ && winning_copy && &raced_->health(does()) != &winning_copy->whole())
        client_.regions->note_lost_race(*raced_, client_.options.environment.clock.now());
}

Reason Talk::reason_for(const Attempt& attempt, const Region& region) const {
    if (about_) return Reason::question;
    if (!last_) return Reason::initial;
    if (!failed_ && attempt.endpoint != last_endpoint_) return Reason::hedge;
    if (wants_writer_ && topology_ && &region != last_ && &region == writer())
        return Reason::write_region;
    return &region == last_ ? Reason::retry : Reason::other_region;
}

http::Route& Talk::route(const Attempt& attempt) {
    const TimePoint now = attempt.clock->now();
    if (!order_) {  // a question, which is put into words when it is asked
        order_ = about_->order_->question();
        topology_ = about_->topology_;
        known_ = about_->known_;
    }
    if (about_ && client_.options.tokens && !client_.key) {
        // Nobody holds a question until the next token is there, so it takes what there is.
        token_ = client_.options.tokens->current(attempt.clock->wall());
        if (!token_) token_ = about_->token_;
    }
    Spot& spot = spots_[static_cast<std::size_t>(attempt.endpoint) % spots_.size()];
    if (about_) spot = {.number = attempt.endpoint, .region = about_->last_};
    else if (spot.number != attempt.endpoint) spot = pick(attempt.endpoint, now);
    // Since it was counted at its place the account may have been read, or a writer found.
    else if (!spot.region || (one_writer() && !by_partition()))
        spot.region = pick(attempt.endpoint, now).region;
    const Region& region = *spot.region;
    const Reason reason = reason_for(attempt, region);
    const bool new_round = been_at(&region) && attempt.endpoint != last_endpoint_;
    if (new_round) visited_.clear();
    if (!been_at(&region)) visited_.push_back(&region);
    if (reason != Reason::hedge) raced_ = &region;
    last_ = &region;
    last_endpoint_ = attempt.endpoint;
    failed_ = wants_writer_ = false;
    Sent& now_sent = sent(attempt);
    now_sent.region = &region;
    now_sent.place = spot.place;
    now_sent.begun = now;
    now_sent.heard = false;
    if (Story* const told = story(); told && errand_.purpose == Purpose::call) {
        Leg& leg = told->add(attempt.number, reason);
        leg.region = region.name;
        leg.endpoint = region.endpoint;
    }
    return *region.route;
}

std::string Talk::place(const Attempt& attempt) const { return sent(attempt).region->place; }

Asked Talk::asked(const Attempt& attempt) const {
    const RegionList list = candidates(attempt.clock->now()).list;
    const auto left =
        std::ranges::count_if(list, [&](const Region* region) { return !been_at(region); });
    // A single-write account has one region that writes; the others are asked only because the document
    // may be old.
    const bool several = !one_writer();
    return {.does = does(),
            .regions = several ? static_cast<int>(list.size()) : 1,
            .regions_left = static_cast<int>(left),
            .multi_write = topology_ && topology_->multi_write,
            .renewable_keys = token_.has_value(),
            .after = attempt.remedies};
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
