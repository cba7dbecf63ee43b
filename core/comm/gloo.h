// Collectives between processes: c10d's Gloo inside LibTorch. On one host every socket stays on loopback; between hosts
// the sockets are bound to one named interface and carry no authentication: for trusted networks.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/comm/communicator.h"
#include "core/comm/interface.h"

namespace dasgd {

// Where ranks find each other, and a few words they leave for one another before training.
class Rendezvous {
public:
    // Through a file on a folder that all ranks share; opens no port. The file must be new for each run.
    static Result<Rendezvous> file(const std::filesystem::path& path, int size, std::chrono::milliseconds timeout);
    // Through a store that rank 0 serves on `host`:`port`, its socket bound to the address of `host` alone; with
    // `servedElsewhere` through one that is there already (torchrun's). Errors: the port is taken, rank 0 did not
    // appear in time.
    static Result<Rendezvous> tcp(const std::string& host, int port, Rank rank, int size,
                                  std::chrono::milliseconds timeout, bool servedElsewhere = false);

    Status set(const std::string& key, const std::string& value);
    // Blocks until some rank has set the key. Errors: the deadline passed.
    Result<std::string> get(const std::string& key);

    class Impl;
    [[nodiscard]] Impl& impl() const { return *impl_; }

private:
    explicit Rendezvous(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
    std::shared_ptr<Impl> impl_;
};

struct GlooOptions {
    Rank rank;
    int size = 1;
    Interface interface { "lo", "127.0.0.1" };
    std::chrono::milliseconds timeout{60'000};  // of one operation; waiting ends at most 2 s later
};

// Connects all ranks; blocks until every rank is there. From then on the process ignores SIGPIPE. `clock` outlives the
// communicator.
[[nodiscard]] Result<std::unique_ptr<Communicator>> makeGloo(const Rendezvous& rendezvous, const GlooOptions& options,
                                                             const Clock& clock);

}  // namespace dasgd
