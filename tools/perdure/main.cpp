// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool. One file per command; this one only names them.
#include "command_line.hpp"

int main(int argc, char** argv) {
    tool::CommandLine line;
    tool::add_run(line);
    tool::add_offset(line);
    tool::add_tune(line);
    tool::add_sim(line);
    tool::add_explain(line);
#ifdef PERDURE_NETWORK
    tool::add_chaos(line);
    tool::add_get(line);
#endif
    return line.run(argc, argv);
}
