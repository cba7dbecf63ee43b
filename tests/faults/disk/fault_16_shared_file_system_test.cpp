// Fault 16: the workspace lies on a file system that several hosts share. It is refused with the name of that and the
// remedy, nothing is written, and where it was allowed the run warns. Kernels without NFS and SMB run this too: the
// answers of statfs are those of such file systems, given by a preloaded library. FUSE is a real one, where root may
// mount.
#include "tests/faults/support/call_injection.h"
#include "tests/faults/support/empty_fuse.h"
#include "tests/faults/support/fault_case.h"
#include "tests/support/live_run.h"

namespace dasgd::test {
namespace {

struct SharedKind {
    std::int64_t type;  // linux/magic.h
    const char* name;
};
const std::vector<SharedKind> kSharedKinds{{0x6969, "NFS"},        {0x517B, "SMB"},           {0xFF534D42, "CIFS"},
                                           {0xFE534D42, "SMB2"},   {0x65735546, "FUSE"},      {0x01021997, "9P"},
                                           {0x0BD00BD0, "Lustre"}, {0x47504653, "GPFS"},      {0x19830326, "BeeGFS"},
                                           {0x00C36400, "CephFS"}, {0x5346414F, "AFS"},       {0x01161970, "GFS2"},
                                           {0x7461636F, "OCFS2"},  {0x12345678, "0x12345678"}};

class SharedWorkspace {
public:
    SharedWorkspace() {
        folder_.write("e.toml", quickExperiment("threads"));
        // One that was made on a disk of this host, and is moved there.
        EXPECT_EQ(folder_.run({"run", "e.toml", "-w", "moved", "-q"}).exit, 0);
    }
    int injected = 0, held = 0;

    void refuses(const SharedKind& kind) {
        calls_.page().fileSystemType = kind.type;
        const std::string before = contentOf(folder_.path() / "moved/lab.db");
        for (const std::vector<std::string>& command :
             std::vector<std::vector<std::string>>{{"run", "e.toml", "-w", "new", "-q"},
                                                   {"queue", "add", "e.toml", "-w", "new"},
                                                   {"run", "e.toml", "-w", "moved", "-q"},
                                                   {"recover", "-w", "moved"}}) {
            const Ended ended = ask(command);
            const bool said = ended.err.find(kind.name) != std::string::npos &&
                              ended.err.find("--allow-filesystem") != std::string::npos;
            const bool untouched = !std::filesystem::exists(folder_.path() / "new") &&
                                   contentOf(folder_.path() / "moved/lab.db") == before;
            EXPECT_TRUE(ended.exit > 0 && said && untouched)
                << kind.name << ", " << command.front() << ": " << ended.exit << " " << ended.err;
            held += ended.exit > 0 && said && untouched;
        }
        calls_.page().fileSystemType = 0;
    }

    void allows(const SharedKind& kind) {
        calls_.page().fileSystemType = kind.type;
        const std::string workspace = std::string("allowed-") + kind.name;
        const Ended ended = ask({"run", "e.toml", "-w", workspace, "--allow-filesystem"});
        const bool warned = ended.err.find(std::string("lies on ")) != std::string::npos &&
                            ended.err.find(kind.name) != std::string::npos;
        auto reader = storage::RunReader::open(folder_.path() / workspace);
        const bool recorded = reader && reader->list()->front().status == "finished";
        EXPECT_TRUE(ended.exit == 0 && warned && recorded) << kind.name << ": " << ended.exit << " " << ended.err;
        held += ended.exit == 0 && warned && recorded;
        calls_.page().fileSystemType = 0;
    }

private:
    // Counts it where the program was told a type.
    Ended ask(const std::vector<std::string>& command) {
        const std::int64_t told = calls_.page().typesTold;
        Ended ended = folder_.run(command, calls_.environment());
        injected += calls_.page().typesTold > told;
        return ended;
    }

    CallInjection calls_;
    DasgdFolder folder_;
};

// In a process whose mounts are its own.
int refuseFuse(SharedCounter& injected) {
    const DasgdFolder folder;
    folder.write("e.toml", quickExperiment("threads"));
    std::filesystem::create_directory(folder.workspace());
    const EmptyFuse fuse(folder.workspace());
    if (!fuse.mounted()) return 0;
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"run", "e.toml", "-w", "w"}, {"queue", "add", "e.toml", "-w", "w/below"}}) {
        const int asked = fuse.asked();
        const Ended ended = folder.run(command);
        if (fuse.asked() > asked) injected.add();
        EXPECT_GT(ended.exit, 0);
        EXPECT_NE(ended.err.find("lies on FUSE"), std::string::npos) << ended.err;
    }
    return ::testing::Test::HasFailure() ? 1 : 0;
}

TEST(Fault16, TheWorkspaceIsSharedByHosts) {
    SharedCounter ofFuse;
    ChildProcess mounting([&] { return refuseFuse(ofFuse); });
    const bool fuseRefused = mounting.wait() == 0;
    EXPECT_TRUE(fuseRefused);
    SharedWorkspace workspace;
    const auto kinds = static_cast<std::size_t>(faultCount(3, static_cast<int>(kSharedKinds.size())));
    for (std::size_t i = 0; i < kinds; ++i) {
        workspace.refuses(kSharedKinds[i]);
        workspace.allows(kSharedKinds[i]);
    }
    const auto real = static_cast<int>(ofFuse.get());
    reportFault(16, "lab.db on NFS, SMB, … (answers of statfs), and on a real FUSE",
                "refused by its name, nothing written; where allowed, said", workspace.injected + real,
                workspace.held + (fuseRefused ? real : 0));
}

}  // namespace
}  // namespace dasgd::test
