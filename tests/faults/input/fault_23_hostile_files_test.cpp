// Faults 23 and 29: data and traces that are hostile or damaged: the inputs that fuzzing has found, and their
// beginnings. They are refused or read in part, never a crash, and with bounded memory.
#include <sys/resource.h>

#include <set>

#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

std::vector<std::filesystem::path> corpus(const std::string& name) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(kSourceDir) / "tests/fuzz/corpus" / name)) {
        files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

constexpr long kMostKib = 1 << 20;

// Runs `command` over each file of a corpus; `answers` says which endings are right.
void expectAnswers(int number, const std::string& fault, const std::string& name,
                   const std::vector<std::string>& command, std::size_t most, const std::set<int>& answers) {
    int injected = 0, held = 0;
    for (const auto& file : corpus(name)) {
        if (static_cast<std::size_t>(injected) == most) break;
        const DasgdFolder folder;
        folder.write("input", contentOf(file));
        folder.write("e.toml",
                     "[algorithm]\nname = \"sync_sgd\"\n[model]\nname = \"mlp\"\n[data]\nname = \"safetensors\"\n"
                     "path = \"input\"\n[train]\nsteps = 2\n");
        const Ended ended = folder.run(command);
        ++injected;
        rusage use{};
        ::getrusage(RUSAGE_CHILDREN, &use);
        const bool right = answers.contains(ended.exit) && use.ru_maxrss < kMostKib;
        EXPECT_TRUE(right) << file << ": " << ended.exit << " with " << use.ru_maxrss << " KiB, " << ended.err;
        held += right;
    }
    reportFault(number, fault, "refused or read in part; no crash, less than 1 GiB", injected, held);
}

TEST(Fault23, TheDataFileIsHostile) {
    expectAnswers(23, "hostile safetensors in place of data", "safetensors", {"run", "e.toml", "-w", "w"},
                  static_cast<std::size_t>(faultCount(6, 1000)), {2});
}

TEST(Fault29, TheTraceIsHostile) {
    expectAnswers(29, "damaged and hostile trace files", "trace", {"import", "input", "-w", "w"},
                  static_cast<std::size_t>(faultCount(6, 1000)), {0, 1, 2});
}

}  // namespace
}  // namespace dasgd::test
