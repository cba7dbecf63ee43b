// `dasgd forward` beside a rank, started again whenever it ends early: what it does costs the rank nothing, and ending
// it loses nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "core/base/result.h"
#include "experiments/base/process.h"

namespace dasgd::experiments {

class ForwarderProcess {
public:
    struct Task {
        std::string program;  // path of this program
        std::filesystem::path workspace;
        std::string runId;
        int rank = 0;
        std::string endpoint;
        std::filesystem::path log;
    };
    // The secret is in the environment, which the process inherits.
    static Result<std::unique_ptr<ForwarderProcess>> start(Task task);
    // Leaves a running process alone: it goes on until all is sent.
    ~ForwarderProcess();
    ForwarderProcess(const ForwarderProcess&) = delete;
    ForwarderProcess& operator=(const ForwarderProcess&) = delete;

    // The journal is closed: waits until the collector has everything. Errors: it has not after `patience`.
    [[nodiscard]] Status awaitDelivery(std::chrono::milliseconds patience);
    [[nodiscard]] pid_t id() const { return id_; }

private:
    explicit ForwarderProcess(Task task) : task_(std::move(task)) {}
    [[nodiscard]] ChildProcess::Options options(bool begun) const;
    void keep(ChildProcess process);

    const Task task_;
    std::atomic<pid_t> id_{0};
    std::atomic<bool> delivered_{false}, stop_{false};
    std::thread thread_;
};

}  // namespace dasgd::experiments
