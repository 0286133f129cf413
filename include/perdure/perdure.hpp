// SPDX-License-Identifier: Apache-2.0
//
// What do I include? This, for everything in perdure::core but the kit for tests, which is in
// perdure/testing/.
//
//     #include <perdure/perdure.hpp>
#pragma once

#include "perdure/cxx20.hpp"

#include "perdure/call/batch_start.hpp"
#include "perdure/call/block_on.hpp"
#include "perdure/call/callers.hpp"
#include "perdure/call/catching.hpp"
#include "perdure/call/fallback.hpp"
#include "perdure/call/or_throw.hpp"
#include "perdure/call/poll.hpp"
#include "perdure/call/retry.hpp"
#include "perdure/call/sleep.hpp"
#include "perdure/call/start.hpp"
#include "perdure/policy/presets.hpp"
#include "perdure/policy/timeout.hpp"
#include "perdure/time/id.hpp"
#include "perdure/time/periodic.hpp"
#include "perdure/try.hpp"
