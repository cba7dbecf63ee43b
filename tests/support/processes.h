// Processes that a test forks, kills and waits for. Fork before starting threads.
#pragma once

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

#include "core/base/check.h"

namespace dasgd::test {

// The thread sanitizer's own thread is not counted.
inline std::ptrdiff_t threadsOfThisProcess() {
    const std::filesystem::directory_iterator threads("/proc/self/task");
#ifdef __SANITIZE_THREAD__
    return std::distance(begin(threads), end(threads)) - 1;
#else
    return std::distance(begin(threads), end(threads));
#endif
}

class ChildProcess {
public:
    // Runs `work` in a child, which ends with its answer as exit status, and with this process at the latest.
    // No other thread may run: a lock that one holds at the fork, such as the allocator's, is never released in the
    // child.
    explicit ChildProcess(const std::function<int()>& work) : id_(forkAlone()) {
        DASGD_CHECK(id_ >= 0);
        if (id_ != 0) return;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::_exit(work());
    }
    ~ChildProcess() {
        if (id_ > 0) kill();
    }
    ChildProcess(ChildProcess&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
    ChildProcess& operator=(ChildProcess&&) = delete;

    [[nodiscard]] int id() const { return id_; }
    void kill() {
        ::kill(id_, SIGKILL);
        (void)wait();
    }
    // The exit status, or −signal.
    [[nodiscard]] int wait() {
        int status = 0;
        const int waited = ::waitpid(std::exchange(id_, 0), &status, 0);
        DASGD_CHECK(waited > 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

private:
    static int forkAlone();

    int id_;
};

// A number that a child writes and that outlives it.
class SharedCounter {
public:
    SharedCounter()
        : value_(static_cast<std::atomic<std::int64_t>*>(::mmap(
              nullptr, sizeof(std::atomic<std::int64_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
        DASGD_CHECK(value_ != MAP_FAILED);
    }
    ~SharedCounter() { ::munmap(value_, sizeof *value_); }
    SharedCounter(const SharedCounter&) = delete;
    SharedCounter& operator=(const SharedCounter&) = delete;

    void set(std::int64_t value) { value_->store(value); }
    void add() { value_->fetch_add(1); }
    [[nodiscard]] std::int64_t get() const { return value_->load(); }

private:
    std::atomic<std::int64_t>* value_;
};

// Looks every millisecond until `condition` holds; false when it did not in time.
inline bool eventually(const std::function<bool()>& condition,
                       std::chrono::seconds patience = std::chrono::seconds(60)) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

// A thread that was joined stays on the kernel's list for a moment.
inline int ChildProcess::forkAlone() {
    DASGD_CHECK(eventually([] { return threadsOfThisProcess() == 1; }, std::chrono::seconds(5)));
    return ::fork();
}

// Resident memory of this process in KiB; 0 where it is not known.
inline long residentKiB() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        long kib = 0;
        if (word == "VmRSS:" && status >> kib) return kib;
    }
    return 0;
}

}  // namespace dasgd::test
