// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/query.hpp"

#include <utility>

#include "item_body.hpp"
#include "perdure/call/json_text.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

Result<void> Query::check_words() const {
    PERDURE_TRY(check_container(container_));
    if (text_.empty()) return fail(invalid_request("the query is empty"));
    PERDURE_TRY(Value{text_}.check());
    for (const auto& [name, value] : parameters_) {
        if (name.size() < 2 || name.front() != '@')
            return fail(invalid_request("the name of a parameter begins with @"));
        PERDURE_TRY(Value{name}.check());
        PERDURE_TRY(value.check());
    }
    if (page_size_ && *page_size_ < 1 && *page_size_ != -1)
        return fail(invalid_request("a page has at least one document"));
    if (limit_kb_ && *limit_kb_ < 1)
        return fail(invalid_request("a continuation needs a kilobyte at least"));
    return {};
}

Result<void> Query::add_place(Envelope& envelope) const {
    if (key_ && !range_.empty())
        return fail(invalid_request("a query goes to a partition key or to a range, not to both"));
    if (key_) return begin_items(envelope, Verb::post, container_, *key_);
    address_items(envelope, container_);
    envelope.add_field("x-ms-documentdb-query-enablecrosspartition", "True");
    if (range_.empty()) return {};
    PERDURE_TRY(check_field("range", range_));
    envelope.range = range_;
    envelope.add_field("x-ms-documentdb-partitionkeyrangeid", range_);
    if (!part_) return {};
    envelope.add_field("x-ms-read-key-type", "EffectivePartitionKeyRange");
    if (!part_->min.empty()) PERDURE_TRY(check_field("beginning of the keys", part_->min));
    PERDURE_TRY(check_field("end of the keys", part_->max));
    envelope.add_field("x-ms-start-epk", part_->min);
    envelope.add_field("x-ms-end-epk", part_->max);
    return {};
}

void Query::add_wishes(Envelope& envelope) const {
    if (page_size_) add_number(envelope, "x-ms-max-item-count", *page_size_);
    if (limit_kb_)
        add_number(envelope, "x-ms-documentdb-responsecontinuationtokenlimitinkb", *limit_kb_);
    envelope.consistency = consistency_;
    if (metrics_) envelope.add_field("x-ms-documentdb-populatequerymetrics", "True");
}

Result<void> Query::describe(Envelope& envelope, const CallFacts&) const {
    PERDURE_TRY(check_words());
    envelope.verb = Verb::post;
    envelope.container = &container_;
    PERDURE_TRY(add_place(envelope));
    envelope.add_field("x-ms-documentdb-isquery", "True");
    add_wishes(envelope);
    PERDURE_TRY(add_continuation(envelope, continuation_));
    envelope.content_type = "application/query+json";
    std::string& body = envelope.body;
    body = "{\"query\":";
    append_json_text(body, text_);
    body += ",\"parameters\":[";
    for (const auto& parameter : parameters_) {
        if (&parameter != &parameters_.front()) body += ',';
        body += "{\"name\":";
        append_json_text(body, parameter.first);
        body.append(",\"value\":").append(parameter.second.json()).append("}");
    }
    body += "]}";
    return check_size(body);
}

Result<Page> Query::read(Reply& reply, const CallFacts&) const {
    auto page = read_page(reply, "Documents");
    if (page) page->metrics = reply.field("x-ms-documentdb-query-metrics");
    return page;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
