#include "storage/base/lock_wait.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <thread>
#include <utility>

#include "core/base/log.h"

namespace dasgd::storage {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::microseconds kLongestPause{5000};
constexpr std::chrono::seconds kSilence{2};
constexpr std::chrono::milliseconds kUntilSignalsCount{100};
// The byte of lab.db-shm that a write transaction locks (SQLite's "WAL-mode File Format", section 2.2.2).
constexpr long long kWriteByte = 120;

// A line of /proc/locks: "1: FLOCK  ADVISORY  WRITE 4321 fe:01:1234 0 EOF"; waiting ones have "->" behind the number.
struct LockLine {
    std::string type, access, where;
    int process = 0;
    long long first = 0, last = 0;
};

bool parse(const std::string& line, LockLine& lock) {
    std::istringstream words(line);
    std::string number, mode, end;
    words >> number >> lock.type >> mode >> lock.access >> lock.process >> lock.where >> lock.first >> end;
    lock.last = end == "EOF" ? std::numeric_limits<long long>::max() : std::atoll(end.c_str());
    return !words.fail();
}

template <class Wanted>
std::vector<int> processesOf(const fs::path& file, Wanted wanted) {
    struct stat found {};
    if (::stat(file.c_str(), &found) != 0) return {};
    std::array<char, 64> place{};
    std::snprintf(place.data(), place.size(), "%02x:%02x:%lu", major(found.st_dev), minor(found.st_dev),
                  static_cast<unsigned long>(found.st_ino));
    std::vector<int> exact, sameNumber;
    std::ifstream locks("/proc/locks");
    LockLine lock;
    for (std::string line; std::getline(locks, line);) {
        if (!parse(line, lock) || !wanted(lock)) continue;
        if (lock.where == place.data()) exact.push_back(lock.process);
        if (lock.where.ends_with(":" + std::to_string(found.st_ino))) sameNumber.push_back(lock.process);
    }
    // Btrfs and overlayfs tell stat another device than the kernel's list has.
    return exact.empty() ? sameNumber : exact;
}

// True if a signal that asks for the end has come and waits, blocked, for whoever reads it
// (experiments/base/stop_signals.h).
bool endIsAskedFor() {
    sigset_t pending;
    sigemptyset(&pending);
    ::sigpending(&pending);
    return std::ranges::any_of(std::array{SIGINT, SIGTERM, SIGUSR1, SIGUSR2},
                               [&](int number) { return sigismember(&pending, number) == 1; });
}

}  // namespace

std::vector<int> flockHolders(const fs::path& file) {
    return processesOf(file, [](const LockLine& lock) { return lock.type == "FLOCK"; });
}

std::vector<int> databaseWriters(const fs::path& database) {
    const auto isWrite = [](const LockLine& lock) { return lock.type == "POSIX" && lock.access == "WRITE"; };
    const auto writers = processesOf(database.string() + "-shm", [&](const LockLine& lock) {
        return isWrite(lock) && lock.first <= kWriteByte && kWriteByte <= lock.last;
    });
    return writers.empty() ? processesOf(database, isWrite) : writers;
}

std::string namesOf(const std::vector<int>& processes) {
    std::string text;
    for (const int process : processes) {
        std::ifstream comm("/proc/" + std::to_string(process) + "/comm");
        std::string name;
        std::getline(comm, name);
        text += (text.empty() ? "process " : " and process ") + std::to_string(process);
        if (!name.empty()) text += " (" + name + ")";
    }
    return text.empty() ? "another process" : text;
}

LockWait::LockWait(fs::path file, Lock lock, std::chrono::milliseconds patience)
    : file_(std::move(file)), lock_(lock), patience_(patience) {}

std::string LockWait::holders() const {
    return namesOf(lock_ == Lock::Flock ? flockHolders(file_) : databaseWriters(file_));
}

// Polls: a blocking flock is not interrupted by signals that are blocked for a signalfd, and cannot say which process
// it waits for.
Status LockWait::pause() {
    const auto waited = std::chrono::steady_clock::now() - began_;
    const char* advice = lock_ == Lock::Flock ? "wait for it to end, or end it" : "end its transaction";
    if (waited >= patience_) {
        return fail(file_.string() + " has been held by " + holders() + " for " +
                    std::to_string(patience_.count() / 1000) + " s: " + advice);
    }
    if (waited > kUntilSignalsCount && endIsAskedFor()) {
        return fail("stopped while waiting for " + file_.string() + ", held by " + holders());
    }
    if (waited >= kSilence && !std::exchange(isSaid_, true)) {
        logLine(LogLevel::Warning, "waiting for " + file_.string() + ", held by " + holders() +
                                       (lock_ == Lock::Database ? std::string(": ") + advice : ""));
    }
    std::this_thread::sleep_for(pause_);
    pause_ = std::min(2 * pause_, kLongestPause);
    return {};
}

}  // namespace dasgd::storage
