// Fault 21: experiment files that cannot be meant. Each is refused with exit 2 before a rank starts or a workspace is
// made.
#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

TEST(Fault21, TheExperimentFileIsBroken) {
    const std::string base = "[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 3\n[model]\nname = \"mlp\"\n";
    const std::vector<std::string> files{
        base + "[train]\nstep = 1\n",
        base + "[train]\nsteps = 1\nsteps = 2\n",
        base + "[train]\nsteps = \"many\"\n",
        base + "[train]\nsteps = 99999999999999999999\n",
        base + "[cluster]\nworkers = 0\n",
        base + "[optimizer]\nlearning_rate = nan\n",
        "[algorithm]\nname = \"dasgd\"\nperiod = 2\ndelay = 3\n[model]\nname = \"mlp\"\n",
        "a = " + std::string(100'000, '[') + "\n",
        "a = \"\xff\xfe\"\n",
        std::string("name = \"a\0b\"\n", 13),
        "",
    };
    int injected = 0, held = 0;
    const DasgdFolder folder;
    const auto expectRefused = [&](const std::string& what) {
        const Ended ended = folder.run({"run", "e.toml", "-w", "w"});
        ++injected;
        const bool refused =
            ended.exit == 2 && ended.err.starts_with("dasgd: e.toml") && !std::filesystem::exists(folder.workspace());
        EXPECT_TRUE(refused) << what.substr(0, 200) << ": " << ended.exit << " " << ended.err.substr(0, 300);
        held += refused;
    };
    for (const std::string& file : files) {
        folder.write("e.toml", file);
        expectRefused(file);
    }
    folder.write("e.toml", "");
    std::filesystem::resize_file(folder.path() / "e.toml", std::uintmax_t{1} << 30);
    expectRefused("1 GiB");
    reportFault(21, "experiment files that cannot be meant", "exit 2 with the place, before any rank starts", injected,
                held);
}

}  // namespace
}  // namespace dasgd::test
