// SPDX-License-Identifier: Apache-2.0
//
// What can many requests say alike? Conditions with placeholders for names and values, what may be
// repeated, and whether the price is to be told.
//
//     PutItem{"orders", order}
//         .condition("#state = :open").name("#state", "state").value(":open", "open")
//
// Mixed into request types; each setter gives the request back.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perdure/call/callback.hpp"
#include "perdure/dynamodb/item.hpp"
#include "perdure/landed.hpp"
#include "perdure/safety.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Names of the attributes that make up a table's key: {"pk"} or {"pk", "sk"}.
using KeyNames = std::vector<std::string>;

// What stands for what in expressions. A plain value.
struct Placeholders {
    std::vector<std::pair<std::string, std::string>> names{};  // "#state", "state"
    Item values{};                                             // ":open"
};

template <class R>
class WithCondition;
template <class R>
class WithPages;  // page.hpp

template <class R>
class WithPlaceholders {
public:
    R& name(std::string placeholder, std::string attribute) & {
        placeholders_.names.emplace_back(std::move(placeholder), std::move(attribute));
        return static_cast<R&>(*this);
    }
    R&& name(std::string placeholder, std::string attribute) && {
        return std::move(name(std::move(placeholder), std::move(attribute)));
    }
    R& value(std::string placeholder, Value value) & {
        placeholders_.values.set(std::move(placeholder), std::move(value));
        return static_cast<R&>(*this);
    }
    R&& value(std::string placeholder, Value what) && {
        return std::move(value(std::move(placeholder), std::move(what)));
    }

protected:
    Placeholders placeholders_{};

private:
    friend R;
    friend WithCondition<R>;
    friend WithPages<R>;
    WithPlaceholders() = default;
};

// The request asks what it cost; the answer's `capacity` says so.
template <class R>
class WithCapacity {
public:
    R& report_capacity() & {
        reports_capacity_ = true;
        return static_cast<R&>(*this);
    }
    R&& report_capacity() && { return std::move(report_capacity()); }

protected:
    bool reports_capacity_ = false;

private:
    friend R;
    friend WithPages<R>;
    WithCapacity() = default;
};

// Looks at the item as it is now (nothing: it is not there) and says whether the write took effect.
// `no` leads to another attempt, so it must mean: not by this call.
using LandedCheck = Callback<Verdict(const std::optional<Item>& now)>;

// A write of one item under a condition.
template <class R>
class WithCondition : public WithPlaceholders<R> {
public:
    R& condition(std::string expression) & {
        condition_ = std::move(expression);
        return static_cast<R&>(*this);
    }
    R&& condition(std::string expression) && { return std::move(condition(std::move(expression))); }
    // What the caller knows about repeating it wins over what the request looks like.
    R& safety(Safety declared) & {
        declared_ = declared;
        return static_cast<R&>(*this);
    }
    R&& safety(Safety declared) && { return std::move(safety(declared)); }
    // A refusal then carries the item as it is: ServiceError::item.
    R& old_item_when_refused() & {
        old_when_refused_ = true;
        return static_cast<R&>(*this);
    }
    R&& old_item_when_refused() && { return std::move(old_item_when_refused()); }

    [[nodiscard]] const std::string& condition() const noexcept { return condition_; }

protected:
    std::string condition_{};
    std::optional<Safety> declared_{};
    LandedCheck landed_{};
    bool old_when_refused_ = false;

private:
    friend R;
    WithCondition() = default;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
