// Hosts that are network namespaces, for one test at a time: see hosts.sh. Needs root.
#pragma once

#include <sys/file.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/base/process.h"
#include "tests/support/paths.h"

namespace dasgd::test {

// True if the shell command succeeds; its output is dropped.
inline bool does(const std::string& command) {
    return std::system(("(" + command + ") >/dev/null 2>&1 </dev/null").c_str()) == 0;
}

class NetworkHosts {
public:
    // Names of the hosts are those of the machine, so tests take turns.
    explicit NetworkHosts(int count, const std::string& rate = "250mbit")
        : turn_(::open((std::filesystem::temp_directory_path() / "dasgd-test-hosts.lock").c_str(),
                       O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
        ::flock(turn_.get(), LOCK_EX);
        there_ = does(script() + " up " + std::to_string(count) + " " + rate);
    }
    ~NetworkHosts() { static_cast<void>(does(script() + " down")); }
    NetworkHosts(const NetworkHosts&) = delete;
    NetworkHosts& operator=(const NetworkHosts&) = delete;

    [[nodiscard]] bool areThere() const { return there_; }
    // Takes the host's only link down.
    [[nodiscard]] bool cut(int host) const { return does("ip -n w" + std::to_string(host) + " link set eth0 down"); }
    [[nodiscard]] bool join(int host) const { return does("ip -n w" + std::to_string(host) + " link set eth0 up"); }
    // "10.77.0.1:29500" of each socket that listens on a host.
    [[nodiscard]] std::vector<std::string> listeners(int host) const {
        const std::vector<std::string> command{"netns", "exec", "w" + std::to_string(host), "ss", "-H", "-ltn"};
        std::istringstream lines(experiments::outputOf("ip", command, 65'536, 10'000'000'000).value_or(""));
        std::vector<std::string> addresses;
        for (std::string state, received, sent, local, rest; lines >> state >> received >> sent >> local;) {
            addresses.push_back(local);
            std::getline(lines, rest);
        }
        return addresses;
    }

private:
    static std::string script() { return "bash " + std::string(kSourceDir) + "/tests/support/hosts.sh"; }
    experiments::Descriptor turn_;
    bool there_ = false;
};

}  // namespace dasgd::test
