// Fault 18: lab.db has the schema of a newer program. Every command refuses it by number and changes nothing.
#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

TEST(Fault18, TheDatabaseIsOfANewerProgram) {
    const DasgdFolder folder;
    folder.write("e.toml", quickExperiment("threads"));
    ASSERT_EQ(folder.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
    const auto file = folder.workspace() / "lab.db";
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 999");
    const std::string before = contentOf(file);
    int injected = 0, held = 0;
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"list"}, {"run", "e.toml"}, {"recover"}, {"queue"}, {"show", folder.firstRun()}, {"compare"}}) {
        std::vector<std::string> arguments = command;
        arguments.insert(arguments.end(), {"-w", "w"});
        const Ended ended = folder.run(arguments);
        ++injected;
        const bool refused = ended.exit > 0 && ended.err.find("999") != std::string::npos && contentOf(file) == before;
        EXPECT_TRUE(refused) << command.front() << ": " << ended.exit << " " << ended.err;
        held += refused;
    }
    reportFault(18, "lab.db of a newer program", "refused by its number; nothing is written", injected, held);
}

}  // namespace
}  // namespace dasgd::test
