// SPDX-License-Identifier: Apache-2.0
//
// How does another thread tell somebody who waits that there is news? By waking him; he then looks.
//
//     Lookup lookup = resolver.look_up("db.internal", waker);   // waker.wake() when it has ended
#pragma once

namespace perdure {
inline namespace v0 {
namespace net {

// wake() may be called from any thread, also more often than needed; it neither blocks nor calls back.
class Waker {
public:
    virtual ~Waker();
    virtual void wake() noexcept = 0;
};

}  // namespace net
}  // namespace v0
}  // namespace perdure
