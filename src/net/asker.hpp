// SPDX-License-Identifier: Apache-2.0
//
// How does a question become an answer? Both families are asked for side by side, and the resolver's
// thread waits for whatever comes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "net/dns_channel.hpp"
#include "net/question.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

// One question under way: what has been said about each family.
struct Inquiry {
    std::shared_ptr<Question> question;
    DnsPart v4{};
    DnsPart v6{};
    int missing = 2;
    bool settled = false;
    TimePoint due{};  // it is settled by then with what there is
};

// Used by one thread, the resolver's. Waits in wait(), nowhere else.
class Asker {
public:
    // Gives an answer to those who wait for it and to the memory. It may come twice: the second time
    // an answer to nobody, but with more to remember.
    using Settle = std::function<void(const std::shared_ptr<Question>&, const NameAnswer&)>;

    Asker(const ResolverOptions& options, const Clock& clock, Settle settle)
        : options_{options}, clock_{clock}, settle_{std::move(settle)} {}

    void ask(const std::shared_ptr<Question>& question);
    // Returns when `nudge` is readable, or when something may have happened.
    void wait(int nudge);
    void look();

private:
    void told(const std::shared_ptr<Inquiry>& inquiry, Family family, DnsPart part);
    void settle(Inquiry& inquiry);
    [[nodiscard]] Duration patience() const;

    const ResolverOptions& options_;
    const Clock& clock_;
    Settle settle_;
    std::vector<std::shared_ptr<Inquiry>> open_{};
    std::vector<pollfd> polled_{};
    std::optional<DnsChannel> channel_{};  // last: its end is told to the others
};

// What the two families say together.
NameAnswer join(const DnsPart& v4, const DnsPart& v6, std::string_view name);

}  // namespace net
}  // namespace v0
}  // namespace perdure
