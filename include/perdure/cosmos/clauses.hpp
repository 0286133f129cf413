// SPDX-License-Identifier: Apache-2.0
//
// What can many writes be told alike? That they hold only for one version, that repeating them is
// harmless, and that the item is wanted back.
//
//     ReplaceItem{{"shop", "orders"}, "o-1", PartitionKey{"o-1"}, json}.if_match(etag)
//
// Mixed into request types; each setter gives the request back.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "perdure/safety.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// The answer then has the item as it is now, with what the service adds; without it only the etag.
template <class R>
class WithReturn {
public:
    R& returning_item() & {
        returns_item_ = true;
        return static_cast<R&>(*this);
    }
    R&& returning_item() && { return std::move(returning_item()); }

protected:
    bool returns_item_ = false;

private:
    friend R;
    WithReturn() = default;
};

// Only if the item still has this etag, else it is a conflict (412). An attempt without an answer is then
// repeated. If the repeat is refused it may be because the first one was done: without a marker nobody
// can tell, and the conflict says that its effect is unknown. "*" is any version and guards nothing.
template <class R>
class WithEtag {
public:
    R& if_match(std::string etag) & {
        etag_ = std::move(etag);
        return static_cast<R&>(*this);
    }
    R&& if_match(std::string etag) && { return std::move(if_match(std::move(etag))); }

protected:
    [[nodiscard]] bool is_guarded() const noexcept { return etag_ && *etag_ != "*"; }
    std::optional<std::string> etag_{};

private:
    friend R;
    WithEtag() = default;
};

// The caller's word that doing it twice ends as doing it once, also when others write in between. It is
// then repeated after an attempt without an answer; without it such a call ends as unknown.
template <class R>
class WithRepeat {
public:
    R& idempotent() & {
        idempotent_ = true;
        return static_cast<R&>(*this);
    }
    R&& idempotent() && { return std::move(idempotent()); }

protected:
    [[nodiscard]] Safety declared() const noexcept {
        return idempotent_ ? Safety::idempotent : Safety::once;
    }
    bool idempotent_ = false;

private:
    friend R;
    WithRepeat() = default;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
