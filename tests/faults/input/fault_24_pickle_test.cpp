// Fault 24: a pickled Python object in place of a model or of data. It is refused, and nothing in it is run.
#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

// Unpickled, it would run `touch ran`.
const std::string kPickle =
    std::string("\x80\x02") + "cposix\nsystem\nq\x00X\x09\x00\x00\x00touch ranq\x01\x85q\x02Rq\x03.";

TEST(Fault24, AModelOrDataIsAPickle) {
    int injected = 0, held = 0;
    for (const std::string& use :
         {std::string("[model]\nname = \"torchscript\"\npath = \"p.pt\"\n"),
          std::string("[model]\nname = \"mlp\"\n[data]\nname = \"safetensors\"\npath = \"p.pt\"\n"),
          std::string("[model]\nname = \"mlp\"\n[data]\npath = \"p.pt\"\n")}) {
        const DasgdFolder folder;
        folder.write("p.pt", kPickle);
        folder.write("e.toml", "[algorithm]\nname = \"sync_sgd\"\n" + use + "[train]\nsteps = 2\n");
        const Ended ended = folder.run({"run", "e.toml", "-w", "w"});
        ++injected;
        const bool refused = ended.exit == 2 && !std::filesystem::exists(folder.path() / "ran") && !folder.hasRuns();
        EXPECT_TRUE(refused) << use << ": " << ended.exit << " " << ended.err;
        held += refused;
    }
    reportFault(24, "a pickle in place of a model or of data", "refused; nothing in it is run", injected, held);
}

}  // namespace
}  // namespace dasgd::test
