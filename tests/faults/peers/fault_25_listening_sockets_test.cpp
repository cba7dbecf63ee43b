// Fault 25: somebody scans the host's ports. While runs of each backend train, none of their processes listens off
// loopback.
#include <set>

#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

struct Listener {
    std::string address;  // hexadecimal, as the kernel prints it
    [[nodiscard]] bool isLoopback() const {
        return address.ends_with("7F") || address == "00000000000000000000000001000000" ||
               (address.starts_with("0000000000000000FFFF0000") && address.ends_with("7F"));
    }
};

// Listening TCP sockets of the processes, from the kernel's tables.
std::vector<Listener> listenersOf(const std::vector<pid_t>& processes) {
    std::set<std::string> sockets;
    for (const pid_t process : processes) {
        std::error_code code;
        for (const auto& entry :
             std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd", code)) {
            std::error_code gone;
            sockets.insert(std::filesystem::read_symlink(entry.path(), gone).string());
        }
    }
    std::vector<Listener> listeners;
    for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        std::istringstream lines(contentOf(table));
        std::string line;
        std::getline(lines, line);
        while (std::getline(lines, line)) {
            std::istringstream fields(line);
            std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
            fields >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >> timeout >> inode;
            if (state == "0A" && sockets.contains("socket:[" + inode + "]")) {
                listeners.push_back({local.substr(0, local.find(':'))});
            }
        }
    }
    return listeners;
}

TEST(Fault25, ListensOnLoopbackAlone) {
    int injected = 0, held = 0;
    std::size_t listeners = 0;
    for (const std::string backend : {"gloo", "threads"}) {
        BrokenRun run(backend);
        std::vector<pid_t> processes = run.ranks();
        processes.push_back(run.launcher().id());
        const std::vector<Listener> found = listenersOf(processes);
        listeners += found.size();
        ++injected;
        const bool loopback = std::ranges::all_of(found, &Listener::isLoopback);
        for (const Listener& one : found) EXPECT_TRUE(one.isLoopback()) << backend << " listens on " << one.address;
        held += loopback;
        run.launcher().signal(SIGTERM);
        EXPECT_EQ(run.launcher().wait().exit, 130);
    }
    EXPECT_GT(listeners, 0u) << "the control: the ranks of gloo listen somewhere";
    reportFault(25, "a scan of the host's ports during runs", "nothing listens off loopback", injected, held);
}

}  // namespace
}  // namespace dasgd::test
