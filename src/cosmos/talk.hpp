// SPDX-License-Identifier: Apache-2.0
//
// How is one logical call spoken with Cosmos DB? Sent to the region that is best just now, signed anew
// for every attempt, with what this client has seen; the answer understood; and, where the request knows
// how, another request that asks what became of it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client_inside.hpp"
#include "errand.hpp"
#include "perdure/http/conversation.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Belongs to one call and is used by its thread. What it is given outlives it.
class Talk final : public http::Conversation, private Places {
public:
    Talk(Client::Inside& client, Order& order, const CallOptions& options, Errand errand = {});
    ~Talk() override;

    // Writes the request. One that cannot be sent ends here.
    Result<void> open();
    [[nodiscard]] Operation operation();

    Result<Duration> ready(const Attempt& attempt, TimePoint now) override;
    http::Route& route(const Attempt& attempt) override;
    [[nodiscard]] std::string place(const Attempt& attempt) const override;
    Result<void> write(std::string& out, const Attempt& attempt, Duration left) override;
    [[nodiscard]] std::string_view large_body() const noexcept override;
    Result<void> judge(http::Response& response, const Attempt& attempt) override;
    void ended(const Attempt& attempt, Failure* failure, TimePoint now) override;
    Conversation* question() override;
    Landed<void> landed(http::Response& answer, Duration since) override;

private:
    // Applies remedies before the next attempt.
    struct Prepare {
        Result<void> operator()(RemedySet remedies, const Attempt& attempt) const;
        Talk* talk;
    };
    // Writes a request anew that its owner has changed.
    struct Amend {
        bool operator()(const Failure& failure) const;
        Talk* talk;
    };
    struct Fields;  // of an answer
    // What was true of one attempt. More than eight are never under way at once.
    struct Sent {
        const Region* region = nullptr;
        const Place* place = nullptr;  // whose health counts it
        TimePoint begun{};
        std::string range{};  // whose session was sent; empty: of all
        Duration skew{};      // by which its date was put right
        WallTime dated{};     // by this machine's clock
        bool heard = false;   // its answer was whole
    };

    // A region that one of the call's endpoint numbers stands for.
    struct Spot {
        int number = -1;
        const Region* region = nullptr;
        Place* place = nullptr;
    };

    Talk(Talk& about);  // the question about another call
    Result<void> describe();
    // Which regions serve it and how its failures are classified; not whether it changes anything.
    [[nodiscard]] Does does() const noexcept {
        const bool reads =
            order_->safety() == Safety::read && envelope_.direction != Envelope::Direction::write;
        return reads ? Does::read : Does::write;
    }
    [[nodiscard]] Sent& sent(const Attempt& attempt) noexcept {
        return sent_[static_cast<std::size_t>(attempt.number) % sent_.size()];
    }
    [[nodiscard]] const Sent& sent(const Attempt& attempt) const noexcept {
        return sent_[static_cast<std::size_t>(attempt.number) % sent_.size()];
    }

    void use(std::shared_ptr<const Topology> fresh) noexcept {
        if (!oldest_) oldest_ = std::move(topology_);
        topology_ = std::move(fresh);
    }
    // Whether the clerk is done with what this call waits for.
    Result<bool> account_ready(TimePoint now);
    Result<bool> container_ready(const Attempt& attempt, TimePoint now);
    Result<bool> token_ready(const Attempt& attempt);
    [[nodiscard]] Duration patience_for(const Attempt& attempt, TimePoint now) const noexcept;
    [[nodiscard]] std::optional<Consistency> wanted_consistency() const noexcept {
        if (about_) return std::nullopt;  // a question wants the best that the account has
        return envelope_.consistency ? envelope_.consistency : client_.options.consistency;
    }
    // Another's session token; a question must see what this client was told.
    [[nodiscard]] std::string_view given_session() const noexcept {
        return about_ ? std::string_view{} : std::string_view{options_.session};
    }
    [[nodiscard]] bool wants_session() const noexcept;
    [[nodiscard]] bool wants_ranges() const noexcept { return wants_session() || by_partition(); }
    [[nodiscard]] Places* places();
    Place& at(int endpoint, TimePoint now) override;
    [[nodiscard]] int count(TimePoint now) const override;
    void race_ended(Place* winning_copy) override;
    [[nodiscard]] Spot pick(int number, TimePoint now);
    [[nodiscard]] const Region* pick_region(int number, TimePoint now);
    [[nodiscard]] const Region* usual_first(TimePoint now) const;
    // The regions that can serve the call, those that do well first.
    struct Candidates {
        RegionList list{};
        std::size_t well = 0;
    };
    [[nodiscard]] Candidates candidates(TimePoint now) const;
    [[nodiscard]] std::size_t sort_by_health(RegionList& list, TimePoint now) const;
    void leave_out_excluded(RegionList& list) const;
    // The region that has seen every write of the call's range.
    [[nodiscard]] const Region* writer() const;
    // The id of the partition range that the call is about; empty: nobody knows.
    [[nodiscard]] std::string range() const;
    [[nodiscard]] Reason reason_for(const Attempt& attempt, const Region& region) const;
    [[nodiscard]] bool been_at(const Region* region) const noexcept;
    // Whether one of the numbers before this one, which no attempt has used yet, stands for the region.
    [[nodiscard]] bool spoken_for(const Region* region, int number) const noexcept;
    void note_failure(const Attempt& attempt, const Failure& failure, TimePoint now);
    void mark(const Attempt& attempt, const Failure& failure, TimePoint now);
    // Whether a partition range may be written in another region than the rest.
    [[nodiscard]] bool by_partition() const noexcept {
        return one_writer() && topology_->by_partition && shelved_;
    }
    // Whether only one region can do what is asked, though it may not be known which.
    [[nodiscard]] bool one_writer() const noexcept {
        return does() == Does::write && topology_ && !topology_->multi_write;
    }
    [[nodiscard]] Asked asked(const Attempt& attempt) const;
    [[nodiscard]] bool session_lost_everywhere(const Region* region) const noexcept;

    void append_authorization(std::string& out, const Attempt& attempt);
    void append_session(std::string& out, Sent& sent, TimePoint now);
    void append_strategy(std::string& out) const;
    void heard(const http::Response& response, const Fields& fields, StatusCode code, double charge,
               const Attempt& attempt);
    Result<void> judge_failure(http::Response& response, StatusCode code, const Attempt& attempt);
    Result<void> judge_batch(http::Response& response, const Attempt& attempt);
    [[nodiscard]] Story* story() noexcept;

    Client::Inside& client_;
    Order* order_;  // null: a question that nobody has asked yet
    Talk* const about_;
    const CallOptions& options_;
    const Errand errand_;
    std::string id_;
    CallFacts facts_;
    Envelope envelope_;
    Shelved* shelved_ = nullptr;  // the items' container
    std::shared_ptr<const Known> known_;
    std::shared_ptr<const Topology> topology_;
    std::shared_ptr<const Topology> oldest_;  // keeps all regions this call has been to
    std::optional<Token> token_, refused_;

    const Region* last_ = nullptr;
    const Region* raced_ = nullptr;  // where the latest attempt that is no copy went
    int last_endpoint_ = 0;
    bool failed_ = false;          // an attempt has, since the last one was sent
    bool wants_writer_ = false;    // the next attempt goes to the write region
    bool was_ill_ = false;         // the latest failure counts against its region
    std::array<Spot, 8> spots_{};  // of the last eight numbers
    RegionList visited_;
    std::array<Sent, 8> sent_{};
    // Where attempts went that may have taken effect, by their numbers; only if that can be asked.
    std::vector<std::pair<int, const Region*>> open_;

    Fetching::Ticket account_ticket_ = 0, container_ticket_ = 0;
    TimePoint wait_until_ = TimePoint::max();  // for a refresh that we can do without
    bool did_without_ = false;                 // the container's ranges were waited for in vain
    std::optional<Duration> measured_skew_{};
    Prepare prepare_{this};
    Amend amend_{this};
    std::unique_ptr<Story> own_story_;
    std::unique_ptr<Talk> question_;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
