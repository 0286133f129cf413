// SPDX-License-Identifier: Apache-2.0
//
// Who repeats when calls stand on calls? The outermost one. For docs/concepts/one-retrying-layer.md.
#include <cstdio>

#include "perdure/perdure.hpp"
#include "perdure/testing/virtual_clock.hpp"

using namespace perdure;

namespace {

struct Counted {
    int orders = 0, stock = 0;
};

Result<int> read_stock(Counted& count) {
    ++count.stock;
    return fail({.cause = Cause::unavailable, .message = "stock service is away"});
}

// [passed-on]
Result<int> place(Caller& orders, Caller& stock, Counted& count) {
    return orders.run({.name = "place", .safety = Safety::idempotent}, [&](const Attempt& attempt) {
        ++count.orders;
        // The attempt is passed on: one attempt there, within our deadline; we own the retries.
        return stock.run(attempt, {.name = "read", .safety = Safety::read},
                         [&](const Attempt&) { return read_stock(count); });
    });
}
// [/passed-on]

// [own-retries]
Result<int> place_in_two_layers(Caller& orders, Caller& stock, Counted& count) {
    return orders.run({.name = "place", .safety = Safety::idempotent}, [&](const Attempt& attempt) {
        ++count.orders;
        const Operation read{
            .name = "read", .safety = Safety::read, .nested = Nested::own_retries};  // on purpose
        return stock.run(attempt, read, [&](const Attempt&) { return read_stock(count); });
    });
}
// [/own-retries]

// [applied]
// The inner call may run only once and went well; the outer attempt then fails. Repeating it would
// charge a second time, so the outer call stops, and says why.
Result<void> charge_and_note(Caller& orders, Caller& cards, int& charges) {
    return orders.run({.name = "checkout"}, [&](const Attempt& attempt) -> Result<void> {
        PERDURE_TRY(cards.run(attempt, {.name = "charge"}, [&]() -> Result<void> {
            ++charges;
            return {};
        }));
        return fail({.cause = Cause::contended, .code = "40001", .message = "rolled back"});
    });
}
// [/applied]

}  // namespace

int main() {
    testing::VirtualClock clock;
    const Environment virtual_time{.clock = clock};
    Caller orders{{.name = "orders"}, virtual_time};
    Caller stock{{.name = "stock"}, virtual_time};
    Caller cards{{.name = "cards"}, virtual_time};

    Counted one, two;
    (void)place(orders, stock, one);
    std::printf("one layer:  %d attempts outside, %d inside\n", one.orders, one.stock);
    (void)place_in_two_layers(orders, stock, two);
    std::printf("two layers: %d attempts outside, %d inside\n", two.orders, two.stock);

    int charges = 0;
    const auto paid = charge_and_note(orders, cards, charges);
    std::printf("%d charge; %s\n", charges, to_string(paid.error()).c_str());
    return one.stock == one.orders && two.stock > two.orders && charges == 1 &&
                   paid.error().effect == Effect::applied
               ? 0
               : 1;
}
