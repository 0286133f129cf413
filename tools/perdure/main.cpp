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
#ifdef PERDURE_HAS_CHAOS
    tool::add_chaos(line);
#endif
#ifdef PERDURE_HAS_GATEWAY
    tool::add_gateway(line);
#endif
#ifdef PERDURE_HAS_GET
    tool::add_get(line);
#endif
#ifdef PERDURE_HAS_LOAD
    tool::add_load(line);
#endif
#ifdef PERDURE_HAS_DOCTOR
    tool::add_doctor(line);
#endif
    return line.run(argc, argv);
}
