// Fault 30: a process inherits an open SQLite database, which corrupts it. No child of a launcher has lab.db open.
#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

int openDatabasesOf(pid_t process) {
    int open = 0;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd", code)) {
        std::error_code gone;
        open += std::filesystem::read_symlink(entry.path(), gone).string().find("lab.db") != std::string::npos;
    }
    return open;
}

TEST(Fault30, NoChildInheritsTheDatabase) {
    int injected = 0, held = 0;
    for (const std::string backend : {"gloo", "threads"}) {
        BrokenRun run(backend);
        EXPECT_GT(openDatabasesOf(run.launcher().id()), 0) << "the control: the launcher has it open";
        for (const pid_t child : run.ranks()) {
            ++injected;
            const bool none = openDatabasesOf(child) == 0;
            EXPECT_TRUE(none);
            held += none;
        }
        run.launcher().signal(SIGTERM);
        EXPECT_EQ(run.launcher().wait().exit, 130);
    }
    reportFault(30, "children of a process that has lab.db open", "none of them has it open", injected, held);
}

}  // namespace
}  // namespace dasgd::test
