// SPDX-License-Identifier: Apache-2.0
//
// How are keys had from a command? credential_process: run by the shell, within a time, its standard
// output read and shown to nobody.
#pragma once

#include <memory>
#include <string>

#include "credentials_source.hpp"
#include "perdure/dynamodb/settings.hpp"
#include "profile.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// `command` says where it stands. The command sees the variables of these surroundings.
std::unique_ptr<KeySource> process_source(Setting command, const Surroundings& surroundings,
                                          Duration longest);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
