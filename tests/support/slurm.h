// A real SLURM of two nodes for one test, where it is installed and we are root: see slurm.sh.
#pragma once

#include <cstdlib>
#include <string>

#include "tests/support/dasgd_program.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {

class TwoNodes {
public:
    TwoNodes() : there_(script("start") == 0) {}
    ~TwoNodes() { static_cast<void>(script("stop")); }
    TwoNodes(const TwoNodes&) = delete;
    TwoNodes& operator=(const TwoNodes&) = delete;

    [[nodiscard]] bool areThere() const { return there_; }
    // Environment that the daemons' commands need.
    [[nodiscard]] Environment environment() const { return {{"SLURM_CONF", (folder_ / "slurm.conf").string()}}; }
    // True if the command, one of SLURM's, succeeds.
    [[nodiscard]] bool does(const std::string& command) const {
        const std::string set = "export SLURM_CONF=" + (folder_ / "slurm.conf").string() + "; (";
        return std::system((set + command + ") >/dev/null 2>&1 </dev/null").c_str()) == 0;
    }

private:
    [[nodiscard]] int script(const std::string& what) const {
        return std::system(("bash " + std::string(kSourceDir) + "/tests/support/slurm.sh " + what + " " +
                            folder_.path().string() + " >/dev/null 2>&1 </dev/null")
                               .c_str());
    }
    TempDir folder_;
    bool there_;
};

}  // namespace dasgd::test
