// SPDX-License-Identifier: Apache-2.0
//
// expect: name the cause where the Failure is made, or call failure.set_cause(cause)
#include "perdure/failure.hpp"

using namespace perdure;

Failure not_found() {
    Failure failure{.status = 404};
#ifdef TRAP
    failure.cause = Cause::not_found;
#else
    failure.set_cause(Cause::not_found);
#endif
    return failure;
}
