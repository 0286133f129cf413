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
    return line.run(argc, argv);
}
