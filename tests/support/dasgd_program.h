// The built `dasgd` as a test runs it: real processes in a folder of their own.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {

inline std::string contentOf(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

inline void writeText(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
}

struct Ended {
    int exit = 0;  // −signal where a signal ended it
    std::string out, err;
};

using Environment = std::map<std::string, std::string>;

// A `dasgd` under way. Ends with the test.
class StartedProgram {
public:
    StartedProgram(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                   const Environment& environment, const std::string& program = kProgram)
        : output_(nextOutput(folder)) {
        std::vector<char*> argv{const_cast<char*>(program.c_str())};
        for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        id_ = ::fork();
        DASGD_CHECK(id_ >= 0);
        if (id_ == 0) become(folder, argv, environment);
    }
    StartedProgram(StartedProgram&& other) noexcept
        : id_(std::exchange(other.id_, 0)), output_(std::move(other.output_)) {}
    StartedProgram& operator=(StartedProgram&&) = delete;
    ~StartedProgram() {
        if (id_ <= 0) return;
        ::kill(id_, SIGKILL);
        static_cast<void>(wait());
    }

    [[nodiscard]] pid_t id() const { return id_; }
    // Standard output so far.
    [[nodiscard]] std::string output() const { return contentOf(output_ + ".out"); }
    [[nodiscard]] std::string errors() const { return contentOf(output_ + ".err"); }
    void signal(int number) const { ::kill(id_, number); }
    Ended wait() {
        int status = 0;
        DASGD_CHECK(::waitpid(std::exchange(id_, 0), &status, 0) > 0);
        const int exit = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        return {exit, contentOf(output_ + ".out"), contentOf(output_ + ".err")};
    }

private:
    static std::string nextOutput(const std::filesystem::path& folder) {
        static int count = 0;
        return (folder / ("output-" + std::to_string(++count))).string();
    }
    [[noreturn]] void become(const std::filesystem::path& folder, std::vector<char*>& argv,
                             const Environment& environment) const {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::setenv("OMP_NUM_THREADS", "1", 1);
        ::unsetenv("DASGD_WORKSPACE");
        for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
        const int out = ::open((output_ + ".out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        const int err = ::open((output_ + ".err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        ::dup2(out, 1);
        ::dup2(err, 2);
        if (::chdir(folder.c_str()) == 0) ::execv(argv[0], argv.data());
        ::_exit(127);
    }

    pid_t id_ = 0;
    std::string output_;
};

// A folder with experiment files, in which `dasgd` runs with the workspace "w".
class DasgdFolder {
public:
    [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
    [[nodiscard]] std::filesystem::path workspace() const { return folder_ / "w"; }
    void write(const std::string& name, const std::string& text) const { writeText(folder_ / name, text); }

    [[nodiscard]] StartedProgram start(const std::vector<std::string>& arguments,
                                       const Environment& environment = {}) const {
        return {path(), arguments, environment};
    }
    [[nodiscard]] Ended run(const std::vector<std::string>& arguments, const Environment& environment = {}) const {
        return start(arguments, environment).wait();
    }
    [[nodiscard]] bool hasRuns() const { return std::filesystem::exists(workspace() / "runs"); }
    // The folder of the only run, or of the first by name; empty where there is none.
    [[nodiscard]] std::string firstRun() const {
        std::string first;
        std::error_code code;
        for (const auto& entry : std::filesystem::directory_iterator(workspace() / "runs", code)) {
            const std::string name = entry.path().filename().string();
            if (first.empty() || name < first) first = name;
        }
        return first;
    }

private:
    TempDir folder_;
};

// A run without data that is over in a second: two ranks on the quadratic model.
inline std::string quickExperiment(const std::string& backend = "gloo", int steps = 30) {
    return "name = \"quick\"\n[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 2\n"
           "[model]\nname = \"quadratic\"\nmatrix = [[2.0, 0.5], [0.5, 1.0]]\n"
           "targets = [[1.0, 0.0], [0.0, 1.0]]\nstart = [4.0, -3.0]\n"
           "[train]\nsteps = " +
           std::to_string(steps) +
           "\neval_every = 10\nprecision = \"float64\"\n[optimizer]\nlearning_rate = 0.1\nmomentum = "
           "0.0\n[cluster]\nbackend = \"" +
           backend + "\"\nworkers = 2\n";
}

// Processes whose parent is `parent`, from /proc.
inline std::vector<pid_t> childrenOf(pid_t parent) {
    std::vector<pid_t> children;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", code)) {
        const std::string stat = contentOf(entry.path() / "stat");
        const auto close = stat.rfind(')');
        if (close == std::string::npos) continue;
        std::istringstream rest(stat.substr(close + 1));
        std::string state;
        pid_t of = 0;
        rest >> state >> of;
        if (of == parent) children.push_back(static_cast<pid_t>(std::stol(entry.path().filename().string())));
    }
    return children;
}

// True if the process is gone, or waits to be reaped by its parent.
inline bool hasEnded(pid_t process) {
    const std::string stat = contentOf("/proc/" + std::to_string(process) + "/stat");
    return stat.empty() || stat.find(") Z") != std::string::npos;
}

// Processes whose command line has `text`.
inline std::vector<pid_t> processesWith(const std::string& text) {
    std::vector<pid_t> processes;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", code)) {
        if (contentOf(entry.path() / "cmdline").find(text) == std::string::npos) continue;
        processes.push_back(static_cast<pid_t>(std::stol(entry.path().filename().string())));
    }
    return processes;
}

}  // namespace dasgd::test
