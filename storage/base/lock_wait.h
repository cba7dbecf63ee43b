// A wait for a lock that another process holds: says who that is, and ends in time. For flocks, and for the database,
// which programs may lock that know nothing of our flock.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace dasgd::storage {

// Processes of this host with a flock of the file, as far as the kernel tells.
[[nodiscard]] std::vector<int> flockHolders(const std::filesystem::path& file);
// Processes of this host, this one included, with an open write transaction of a SQLite database in WAL mode, or with
// its file locked as a whole.
[[nodiscard]] std::vector<int> databaseWriters(const std::filesystem::path& database);
// "process 4321 (python3) and process 4322 (sqlite3)"; "another process" where there are none.
[[nodiscard]] std::string namesOf(const std::vector<int>& processes);

// One wait of one thread, from its construction on.
class LockWait {
public:
    enum class Lock { Flock, Database };
    LockWait(std::filesystem::path file, Lock lock, std::chrono::milliseconds patience);

    // Sleeps for a moment before the next try. After 2 s the log says once who holds the lock. Errors: it was held for
    // longer than `patience`; a signal that asks for the end is pending.
    Status pause();

private:
    [[nodiscard]] std::string holders() const;

    const std::filesystem::path file_;
    const Lock lock_;
    const std::chrono::milliseconds patience_;
    const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    std::chrono::microseconds pause_{50};
    bool isSaid_ = false;
};

}  // namespace dasgd::storage
