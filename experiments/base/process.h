// Processes we start: no fork, no shell, nothing inherited but what is named, and never a signal to a process id that
// may have been used again.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace dasgd::experiments {

// A file descriptor that closes itself.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor();
    [[nodiscard]] int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }

private:
    int fd_ = -1;
};

struct ProcessExit {
    int code = 0;    // exit status, where the process ended by itself
    int signal = 0;  // number of the signal that ended the process; 0: none
};

// Where a child finds the pipe to its parent.
inline constexpr int kReportDescriptor = 3;

// Owner: one thread. Destroying it while it runs kills it, unless it was left alone.
class ChildProcess {
public:
    struct Options {
        std::string program;                 // a path, or a name to look up in PATH
        std::vector<std::string> arguments;  // without the program
        std::filesystem::path log;           // file for stdout and stderr; empty: stdout goes into the report
        bool ownGroup = true;                // Ctrl-C at the terminal does not reach it
        int input = -1;                      // descriptor of this process that becomes its stdin; −1: an empty stdin
        int errors = -1;  // without a log: descriptor of this process that becomes its stderr; −1: stderr is discarded
        std::vector<std::string> environment;  // "NAME=value", before the environment of this process
        // Signals that wait from the child's first instruction on, until it unblocks or takes them.
        std::vector<int> blocked;
    };
    static Result<ChildProcess> start(const Options& options);
    ChildProcess(ChildProcess&&) noexcept = default;
    ChildProcess& operator=(ChildProcess&&) noexcept = default;
    ~ChildProcess();

    [[nodiscard]] pid_t id() const { return id_; }
    [[nodiscard]] int pidFd() const { return pidFd_.get(); }
    [[nodiscard]] int reportFd() const { return report_.get(); }
    // Ended and reaped; one system call, never blocks.
    [[nodiscard]] std::optional<ProcessExit> poll();
    // Nothing happens where it has been reaped.
    void signal(int number);
    // From now on it outlives this object, and is nobody's here.
    void leaveAlone() { pidFd_ = Descriptor(); }
    // Takes in what it writes to its report pipe until it has ended; nullopt where that is later than `patience`, or as
    // soon as it wrote more than `mostBytes`.
    [[nodiscard]] std::optional<ProcessExit> awaitEnd(Ns patience, std::size_t mostBytes = SIZE_MAX);
    // Takes in what the child wrote to its report pipe so far.
    [[nodiscard]] const std::string& report();

private:
    ChildProcess() = default;
    pid_t id_ = 0;
    Descriptor pidFd_;
    Descriptor report_;
    std::string reported_;
    std::optional<ProcessExit> exit_;
};

// Standard output of a short command, at most `limit` bytes. nullopt: could not start, failed, or took too long.
[[nodiscard]] std::optional<std::string> outputOf(const std::string& program, const std::vector<std::string>& arguments,
                                                  std::size_t limit, Ns patience);

// "signal 9 (Killed)" or "exit status 3".
[[nodiscard]] std::string describeExit(const ProcessExit& exit);

}  // namespace dasgd::experiments
