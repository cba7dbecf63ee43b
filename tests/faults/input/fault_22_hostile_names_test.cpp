// Fault 22: names of experiments that are paths, or no text. Nothing is written outside the workspace.
#include <set>

#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

std::set<std::string> filesOutside(const DasgdFolder& folder) {
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        const std::string name = entry.path().filename().string();
        if (name != "w" && !name.starts_with("output-")) files.insert(name);
    }
    return files;
}

TEST(Fault22, TheNameIsAPathOrNoText) {
    int injected = 0, held = 0;
    for (const std::string& name :
         {std::string("../../x"), std::string("/tmp/x"), std::string("a/../../b"), std::string("%2e%2e%2fx"),
          std::string("..\\\\x"), std::string("\\u0000x"), std::string(300, 'n'), std::string("\\u202Egnp"),
          std::string("<b>=cmd()\\\\input{x}")}) {
        const DasgdFolder folder;
        std::string experiment = quickExperiment("threads");
        experiment.replace(experiment.find("quick"), 5, name);
        folder.write("e.toml", experiment);
        const Ended ended = folder.run({"run", "e.toml", "-w", "w", "-q"});
        ++injected;
        bool contained = ended.exit == 0 || ended.exit == 2;
        contained = contained && filesOutside(folder) == std::set<std::string>{"e.toml"};
        if (ended.exit == 0)
            contained = contained && std::filesystem::exists(folder.workspace() / "runs" / folder.firstRun());
        EXPECT_TRUE(contained) << name << ": " << ended.exit << " " << ended.err;
        held += contained;
    }
    reportFault(22, "names of experiments that are paths or no text", "refused, or nothing outside the workspace",
                injected, held);
}

}  // namespace
}  // namespace dasgd::test
