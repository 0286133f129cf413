// SPDX-License-Identifier: Apache-2.0
//
// Does `perdure load` keep its word? It loads a file under faults, locks and kills, beside a loader
// written the usual way; then both tables are compared with the file.
//
//     perdure_load_demo --records 100000 --seed 7
#include <CLI/CLI.hpp>

#include "lock_holder.hpp"
#include "naive_loader.hpp"
#include "show.hpp"
#include "text/output.hpp"

namespace {

struct Flags {
    demo::ShowOptions show{};
    demo::NaiveOptions naive{};
    demo::LockOptions locks{};
};

void add_show(CLI::App& app, demo::ShowOptions& options) {
    app.add_option("--records", options.records, "orders to load")
        ->check(CLI::Range(2000, 10000000))
        ->capture_default_str();
    app.add_option("--seed", options.seed, "of the orders, the faults and the locks")
        ->check(CLI::Range(0, 1000000000))
        ->capture_default_str();
    app.add_option("--directory", options.folder, "where everything is written; replaced if ours")
        ->capture_default_str();
    app.add_option("--html", options.report, "the report (default: report.html in the directory)");
}

CLI::App* add_naive(CLI::App& app, demo::NaiveOptions& options) {
    CLI::App* const mode = app.add_subcommand("naive", "the loader written the usual way, alone");
    mode->add_option("--source", options.source, "JSON lines")->required();
    mode->add_option("--database", options.database, "a file of SQLite")->required();
    mode->add_option("--progress", options.progress, "where it notes how far it is")->required();
    mode->add_option("--batch", options.batch, "rows to a transaction")->capture_default_str();
    mode->add_option("--faults", options.faults, "share of calls that fail: 0.1");
    mode->add_option("--faults-seed", options.faults_seed, "of these");
    return mode;
}

CLI::App* add_locks(CLI::App& app, demo::LockOptions& options) {
    CLI::App* const mode = app.add_subcommand("hold-locks", "takes the write lock now and then");
    mode->add_option("--database", options.database, "a file of SQLite")->required();
    mode->add_option("--seed", options.seed, "of the times");
    return mode;
}

}  // namespace

int main(int argc, char** argv) {
    tool::hold_standard_streams();
    CLI::App app{"Loads orders into SQLite under faults, locks and kills, with perdure load and "
                 "with a loader\nwritten the usual way, and shows what each lost and doubled.\n"
                 "Exit status: 0 if Perdure lost and doubled nothing, 1 if it did or if the "
                 "demonstration\ncould not be given, 125 for wrong flags."};
    Flags flags;
    add_show(app, flags.show);
    const CLI::App* const naive = add_naive(app, flags.naive);
    const CLI::App* const locks = add_locks(app, flags.locks);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 125;
    }
    if (naive->parsed()) return demo::load_naively(flags.naive);
    if (locks->parsed()) return demo::hold_locks(flags.locks);
    return demo::show(flags.show);
}
