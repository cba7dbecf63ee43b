// Where the processes of a run find each other.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/ids.h"
#include "core/base/result.h"

namespace dasgd {

struct StoreHandle;

// Where ranks find each other, and a few words they leave for one another before training.
class Rendezvous {
public:
    // Through a file on a folder that all ranks share; opens no port. The file must be new for each run.
    static Result<Rendezvous> file(const std::filesystem::path& path, int size, std::chrono::milliseconds timeout);
    // Through a store that rank 0 serves on `host`:`port`, its socket bound to the address of `host` alone; with
    // `servedAttempt` through one that is there already (torchrun's) and has kept what earlier attempts left in it:
    // words of this attempt alone are found, as torch's own env:// does it. Errors: the port is taken, rank 0 did not
    // appear in time.
    static Result<Rendezvous> tcp(const std::string& host, int port, Rank rank, int size,
                                  std::chrono::milliseconds timeout, std::optional<int> servedAttempt = std::nullopt);

    // Through a store that somebody else made.
    static Rendezvous through(StoreHandle store);

    Status set(const std::string& key, const std::string& value);
    // Blocks until some rank has set the key. Errors: the deadline passed.
    Result<std::string> get(const std::string& key);
    // The same with a deadline of its own.
    Result<std::string> get(const std::string& key, std::chrono::milliseconds timeout);
    // Whether some rank has set the key by now. Errors: the store is gone.
    Result<bool> has(const std::string& key);
    // A connection of its own to the same store, for another thread.
    [[nodiscard]] Result<Rendezvous> another() const;

    [[nodiscard]] const StoreHandle& handle() const { return *handle_; }

private:
    explicit Rendezvous(std::shared_ptr<StoreHandle> handle) : handle_(std::move(handle)) {}
    std::shared_ptr<StoreHandle> handle_;
};

}  // namespace dasgd
