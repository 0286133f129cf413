// SPDX-License-Identifier: Apache-2.0
//
// Where is what scripts/setup took from npm? In build/npm of the source tree, or in $PERDURE_NPM.
//
//     if (!npm_missing("dynalite").empty()) GTEST_SKIP() << npm_missing("dynalite");
//     Process{{node(), npm_path("dynalite/cli.js"), …}, …};
#pragma once

#include <string>

namespace perdure::live {

// A file of a package; it need not be there.
std::string npm_path(const std::string& file);
// A program of a package, to be started. Ends the test program if it is not the file whose checksum is in
// tests/live/npm/checksums.txt.
std::string npm_program(const std::string& file);
// Why a program must not be started; empty if its checksum stands in `checksums`, a list as sha256sum's.
std::string not_as_listed(const std::string& program, const std::string& name,
                          const std::string& checksums);
// Why the package cannot be used here; empty if it can.
std::string npm_missing(const std::string& package);
// The Node.js that scripts/setup installs, otherwise the one on PATH: Debian 12's is too old for the SDKs.
// And why no Node.js can be used; empty if one can.
std::string node();
std::string node_missing();
// A Python that runs what is in the tree, and Debian's own, which has Debian's packages.
std::string python();
std::string debian_python();

}  // namespace perdure::live
