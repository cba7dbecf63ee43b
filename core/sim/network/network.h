// The network of a virtual cluster, as the user describes it. One topology in each .cpp of topologies/, registered by
// its last line; SimGrid makes hosts, links and routes from it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/schema/fields.h"
#include "core/base/schema/registry.h"
#include "core/cost/cost.h"
#include "core/cost/messages/message_schedule.h"

namespace simgrid::s4u {
class Host;
}

namespace dasgd {

// Background traffic on the same network: messages between random hosts at random instants.
struct BackgroundParams {
    double load = 0.3;
    std::string message = "1MB";
    std::int64_t seed = -1;  // below 0: train.seed, once an experiment is read
    void visit(auto&& f) {
        f(load, "load", {.min = 0, .max = 0.95, .help = "Share of the busiest link that it takes on average"});
        f(message, "message", {.help = "Size of each message, as 1MB"});
        f(seed, "seed", {.min = -1, .max = 9e15, .help = "Of its instants and hosts; -1: train.seed"});
    }
    [[nodiscard]] std::optional<FieldError> check() const;
    [[nodiscard]] double messageBytes() const;  // after check()
};

// Common to all topologies.
struct NetworkParams {
    std::string fidelity = "message";
    std::string collective = "ring";
    std::int64_t groupSize = 1;
    std::int64_t servers = 1;
    std::string reduceRate = "0GB/s";
    double efficiency = 1;
    std::optional<BackgroundParams> background;
    void visit(auto&& f) {
        f(fidelity, "fidelity",
          {.help = "message: collectives as messages that share links with everything else in flight; formula: their "
                   "alpha-beta time",
           .choices = {"message", "formula"}});
        f(collective, "collective",
          {.help = "How an all-reduce is made of messages; authors-…: by the formula of the DaSGD authors' time model, "
                   "without messages",
           .choices = {"ring", "halving-doubling", "recursive-doubling", "tree", "hierarchical", "parameter-server",
                       "authors-one-to-all", "authors-tree", "authors-butterfly", "authors-partial-mixing"}});
        f(groupSize, "group_size",
          {.min = 1, .max = 4096, .unit = "ranks", .symbol = "G", .help = "Group size of a hierarchical all-reduce"});
        f(servers, "servers", {.min = 1, .max = 4096, .help = "Ranks that hold the shards of a parameter server"});
        f(reduceRate, "reduce_rate",
          {.symbol = "1/ρ", .help = "How fast a rank adds up what it receives, as 10GB/s; 0GB/s: in no time"});
        f(efficiency, "efficiency",
          {.min = 0, .max = 1, .minOpen = true, .help = "Share of the links' bandwidth that messages reach"});
        f(background, "background", {.help = "Traffic of others on the same network; needs fidelity = \"message\""});
    }
    [[nodiscard]] std::optional<FieldError> check() const;
    // Call these after check():
    [[nodiscard]] double reduceSecondsPerByte() const;  // ρ
    [[nodiscard]] AllReduceKind allReduce() const;      // the default method where authorsExchange() has a value
    [[nodiscard]] std::optional<AuthorsExchange> authorsExchange() const;
};

// Bandwidth and latency of one link, shared by the topologies that have equal ones.
struct LinkSpec {
    std::string bandwidth = "10Gbps";
    std::string latency = "25us";
    void visit(auto&& f) {
        f(bandwidth, "bandwidth", {.help = "Bandwidth of one link, each way, as 10Gbps"});
        f(latency, "latency",
          {.help = "Latency of a message between two hosts of a star or of one rack, of a link elsewhere, as 25us"});
    }
    [[nodiscard]] std::optional<FieldError> check() const;
    [[nodiscard]] double bytesPerSecond() const;  // after check()
    [[nodiscard]] double latencySeconds() const;
};

// Source file of a network.
struct NetworkFile {
    std::filesystem::path path;
    std::string checksum;  // checksum of its content
};

class Topology {
public:
    virtual ~Topology() = default;
    // Opens the file that the network is read from, where there is one; a relative name counts from `folder`. Call it
    // before check() and build(). Errors: it cannot be read, or is not the one whose checksum was given.
    [[nodiscard]] virtual Result<std::optional<NetworkFile>> open(const std::filesystem::path& folder) {
        static_cast<void>(folder);
        return std::optional<NetworkFile>();
    }
    // Checks that the network has room for `hosts`; the error says what to change.
    [[nodiscard]] virtual Status check(int hosts) const = 0;
    // Makes the platform in the running SimGrid engine; returns the first `hosts` hosts, in rank order. Errors: a
    // platform file that cannot be used.
    [[nodiscard]] virtual Result<std::vector<simgrid::s4u::Host*>> build(int hosts) const = 0;
};

using TopologyRegistry = Registry<Topology>;

}  // namespace dasgd
