// SPDX-License-Identifier: Apache-2.0
#include "metadata_requests.hpp"

#include <utility>

#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

Result<void> ReadAccount::describe(Envelope& envelope, const CallFacts&) const {
    address_account(envelope);
    return {};
}
Result<AccountDocument> ReadAccount::read(Reply& reply, const CallFacts&) const {
    return parse_account(reply.response.body);
}

Result<void> LookUpContainer::describe(Envelope& envelope, const CallFacts&) const {
    address_container(envelope, name_);
    return {};
}
Result<ContainerProperties> LookUpContainer::read(Reply& reply, const CallFacts&) const {
    return parse_container(reply.response.body);
}

Result<void> ReadRanges::describe(Envelope& envelope, const CallFacts&) const {
    address_ranges(envelope, name_);
    envelope.add_field("x-ms-max-item-count", "-1");
    envelope.add_field("A-IM", "Incremental Feed");
    if (!since_.empty()) envelope.add_field("If-None-Match", since_);
    return {};
}
Result<RangesPage> ReadRanges::read(Reply& reply, const CallFacts&) const {
    RangesPage page{.ranges = {}, .etag = std::string{reply.field("etag")}};
    if (reply.response.status == 304) return page;
    PERDURE_TRY_VALUE(page.ranges, parse_ranges(reply.response.body));
    page.news = !page.ranges.empty();
    return page;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
