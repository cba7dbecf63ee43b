// `dasgd extra-command`; made by tests/bench/add_one_of_each.sh.
#include <cstdio>

#include "experiments/commands/command.h"

namespace dasgd::experiments {
namespace {

Action declareExtraCommand(CLI::App&) {
    return [] {
        std::puts("extra");
        return static_cast<int>(kFinished);
    };
}

const CommandRegistry::Add kExtraCommandEntry{
    {.order = 1000, .name = "extra-command", .summary = "Prints a word", .declare = declareExtraCommand}};

}  // namespace
}  // namespace dasgd::experiments
