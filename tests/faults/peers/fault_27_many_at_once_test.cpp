// Fault 27: eight runs start at once in one workspace. All finish with the values of a run alone.
#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

TEST(Fault27, RunsStartAtOnce) {
    const DasgdFolder folder;
    folder.write("e.toml", quickExperiment("gloo", 60));
    ASSERT_EQ(folder.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
    const auto alone = storage::RunReader::open(folder.workspace())->list()->front().finalLoss;
    ASSERT_TRUE(alone);
    const int runs = faultCount(4, 8);
    {
        std::vector<StartedProgram> programs;
        for (int i = 0; i < runs; ++i) programs.push_back(folder.start({"run", "e.toml", "-w", "w", "-q"}));
        for (StartedProgram& program : programs) EXPECT_EQ(program.wait().exit, 0);
    }
    auto reader = storage::WorkspaceReader::open(folder.workspace());
    const auto rows = reader->runs().list();
    const int injected = static_cast<int>(rows->size()) - 1;
    EXPECT_EQ(injected, runs);
    const auto held =
        std::ranges::count_if(*rows,
                              [&](const storage::RunRow& row) {
                                  return row.status == "finished" && row.steps == 60 && row.finalLoss == alone;
                              }) -
        1;
    EXPECT_TRUE(reader->checkIntegrity());
    reportFault(27, "several runs start at once", "all finish with the loss of a run alone, to the last bit", injected,
                static_cast<int>(held));
}

}  // namespace
}  // namespace dasgd::test
