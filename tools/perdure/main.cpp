// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool. One file per command; this one only names those that are built
// (tools/perdure/commands.cmake).
#include "command_line.hpp"
#include "text/output.hpp"

int main(int argc, char** argv) {
    tool::end_without_memory();
    tool::CommandLine line;
#ifdef PERDURE_COMMAND_LOAD
    tool::add_load(line);
#endif
#ifdef PERDURE_COMMAND_RUN
    tool::add_run(line);
#endif
#ifdef PERDURE_COMMAND_OFFSET
    tool::add_offset(line);
#endif
#ifdef PERDURE_COMMAND_TUNE
    tool::add_tune(line);
#endif
#ifdef PERDURE_COMMAND_SIM
    tool::add_sim(line);
#endif
#ifdef PERDURE_COMMAND_EXPLAIN
    tool::add_explain(line);
#endif
#ifdef PERDURE_COMMAND_CHAOS
    tool::add_chaos(line);
#endif
#ifdef PERDURE_COMMAND_GATEWAY
    tool::add_gateway(line);
#endif
#ifdef PERDURE_COMMAND_GET
    tool::add_get(line);
#endif
#ifdef PERDURE_COMMAND_DOCTOR
    tool::add_doctor(line);
#endif
    return line.run(argc, argv);
}
