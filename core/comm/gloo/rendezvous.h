// The meeting point of a run's processes.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/ids.h"
#include "core/base/result.h"

namespace dasgd {

struct StoreHandle;

// Key-value store through which ranks find each other and exchange a few values before training.
class Rendezvous {
public:
    // Meets through a file in a folder that all ranks share; opens no port. The file must be new for each run.
    static Result<Rendezvous> file(const std::filesystem::path& path, int size, std::chrono::milliseconds timeout);
    // Meets through a store that rank 0 serves on `host`:`port`, its socket bound to the address of `host` alone. With
    // `servedAttempt` it joins a store that exists already (torchrun's) and has kept values of earlier attempts: only
    // this attempt's are found, as in torch's own env://. Errors: the port is taken, rank 0 did not appear in time.
    static Result<Rendezvous> tcp(const std::string& host, int port, Rank rank, int size,
                                  std::chrono::milliseconds timeout, std::optional<int> servedAttempt = std::nullopt);

    // Meets through a store that somebody else made.
    static Rendezvous through(StoreHandle store);

    Status set(const std::string& key, const std::string& value);
    // Blocks until some rank has set the key. Errors: the deadline passed.
    Result<std::string> get(const std::string& key);
    // get() with a deadline of its own.
    Result<std::string> get(const std::string& key, std::chrono::milliseconds timeout);
    // Number of calls for the key by all ranks so far; each call gets a number of its own, from 1.
    Result<std::int64_t> count(const std::string& key);
    // True where some rank has set the key by now. Errors: the store is gone.
    Result<bool> has(const std::string& key);
    // A connection of its own to the same store, for another thread.
    [[nodiscard]] Result<Rendezvous> another() const;

    [[nodiscard]] const StoreHandle& handle() const { return *handle_; }

private:
    explicit Rendezvous(std::shared_ptr<StoreHandle> handle) : handle_(std::move(handle)) {}
    std::shared_ptr<StoreHandle> handle_;
};

}  // namespace dasgd
