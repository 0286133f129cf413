// SPDX-License-Identifier: Apache-2.0
#include "load/source/prefix_check.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "load/source/source_bytes.hpp"
#include "perdure/try.hpp"

namespace tool::load {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18u;  // stays in the second-level cache

// Reads one input forward, up to given offsets.
class PrefixReader {
public:
    PrefixReader(ByteStream& stream, const PrefixOptions& options)
        : stream_{stream}, options_{options}, block_(block_bytes) {}

    // False: the input ends before.
    Result<bool> read_to(std::uint64_t offset) {
        while (at_ < offset) {
            if (begin_ == end_) {
                PERDURE_TRY_VALUE(const bool more, fill());
                if (!more) return false;
            }
            const auto part = std::min<std::uint64_t>(end_ - begin_, offset - at_);
            hash_.add({block_.data() + begin_, static_cast<std::size_t>(part)});
            begin_ += static_cast<std::size_t>(part);
            at_ += part;
        }
        return true;
    }
    Result<bool> at_end() {
        if (begin_ < end_) return false;
        PERDURE_TRY_VALUE(const bool more, fill());
        return !more;
    }
    [[nodiscard]] const ContentHash& hash() const noexcept { return hash_; }
    [[nodiscard]] std::uint64_t at() const noexcept { return at_; }

private:
    Result<bool> fill() {
        begin_ = end_ = 0;
        const std::uint64_t before = stream_.consumed();
        PERDURE_TRY_VALUE(end_, stream_.read(block_.data(), block_.size()));
        if (options_.bytes_read != nullptr) *options_.bytes_read += stream_.consumed() - before;
        return end_ > 0;
    }

    ByteStream& stream_;
    const PrefixOptions& options_;
    std::vector<char> block_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::uint64_t at_ = 0;
    ContentHash hash_{};
};

// A checkpoint of one of several lists.
struct Step {
    std::size_t list = 0;
    const Checkpoint* checkpoint = nullptr;
};

std::vector<Step> in_order(std::span<const std::vector<Checkpoint>> lists) {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < lists.size(); ++i)
        for (const Checkpoint& checkpoint : lists[i]) steps.push_back({i, &checkpoint});
    std::ranges::sort(steps, {}, [](const Step& step) { return step.checkpoint->offset; });
    return steps;
}

}  // namespace

Result<PrefixCheck> check_prefix(const std::string& path, std::span<const Checkpoint> checkpoints,
                                 const PrefixOptions& options) {
    using Outcome = PrefixCheck::Outcome;
    PERDURE_TRY_VALUE(const auto stream, open_bytes(path));
    PrefixReader reader{*stream, options};
    PrefixCheck check;
    bool resumed = false;
    for (const Checkpoint& checkpoint : checkpoints) {
        if (!resumed && checkpoint.offset >= options.resume_at) {
            PERDURE_TRY_VALUE(const bool there, reader.read_to(options.resume_at));
            if (!there) return PrefixCheck{.outcome = Outcome::shorter};
            check.resume = reader.hash();
            resumed = true;
        }
        PERDURE_TRY_VALUE(const bool there, reader.read_to(checkpoint.offset));
        if (!there) return PrefixCheck{.outcome = Outcome::shorter};
        if (checkpoint.digest.known() && reader.hash().digest() != checkpoint.digest)
            return PrefixCheck{.outcome = Outcome::changed};
    }
    PERDURE_TRY_VALUE(const bool end, reader.at_end());
    check.outcome = end ? Outcome::same : Outcome::grown;
    return check;
}

Result<std::vector<PrefixCheck::Outcome>>
check_prefixes(const std::string& path, std::span<const std::vector<Checkpoint>> lists,
               std::atomic<std::uint64_t>* bytes_read) {
    using Outcome = PrefixCheck::Outcome;
    std::vector<Outcome> outcomes(lists.size(), Outcome::grown);
    std::vector<Step> steps = in_order(lists);
    if (steps.empty()) return outcomes;
    PERDURE_TRY_VALUE(const auto stream, open_bytes(path));
    const PrefixOptions options{.bytes_read = bytes_read};
    PrefixReader reader{*stream, options};
    for (const Step& step : steps) {
        Outcome& outcome = outcomes[step.list];
        if (outcome != Outcome::grown) continue;
        PERDURE_TRY_VALUE(const bool there, reader.read_to(step.checkpoint->offset));
        const ContentDigest& digest = step.checkpoint->digest;
        if (!there) outcome = Outcome::shorter;
        else if (digest.known() && reader.hash().digest() != digest) outcome = Outcome::changed;
    }
    PERDURE_TRY_VALUE(const bool end, reader.at_end());
    for (std::size_t i = 0; i < lists.size(); ++i)
        if (end && outcomes[i] == Outcome::grown && !lists[i].empty() &&
            lists[i].back().offset == reader.at())
            outcomes[i] = Outcome::same;
    return outcomes;
}

}  // namespace tool::load
