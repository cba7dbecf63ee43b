// `dasgd host-ranks`: one host of a cluster, as `dasgd run --on` and `dasgd doctor --on` reach it over ssh. It answers
// requests on stdin, one after the other, and starts ranks. Nothing listens but what a request asks for.
#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "experiments/base/stop_signals.h"
#include "experiments/cluster/host/host_facts.h"
#include "experiments/cluster/host/host_journals.h"
#include "experiments/cluster/host/host_messages.h"
#include "experiments/cluster/host/host_ranks.h"
#include "experiments/transport/pipe/frame_channel.h"

namespace dasgd::experiments {

// Owner: main's thread.
class HostService {
public:
    struct Options {
        int input = 0, output = 1;
        std::string program;                              // program of the ranks
        std::chrono::milliseconds silence{kMostSilence};  // silence after which the launcher is taken for gone
    };
    HostService(Options options, StopSignals& signals)
        : options_(std::move(options)),
          signals_(signals),
          channel_(options_.input, options_.output),
          journals_(options_.program) {}

    // Until the launcher has gone, says nothing for too long, or a signal comes. Then the ranks that still run are
    // asked to stop, and are ended ten seconds later.
    void serve();

private:
    using Clock = std::chrono::steady_clock;

    void wait();
    // False where it is damaged.
    [[nodiscard]] bool takeFrames();
    void take(const nlohmann::json& request);
    [[nodiscard]] Result<nlohmann::json> reply(const std::string& what, const nlohmann::json& request);
    [[nodiscard]] Result<nlohmann::json> journals(const std::string& what, const nlohmann::json& request);
    [[nodiscard]] Result<nlohmann::json> start(const nlohmann::json& request);
    void attend();
    void say(const nlohmann::json& document);
    void windUp();

    const Options options_;
    StopSignals& signals_;
    FrameChannel channel_;
    std::unique_ptr<HostRanks> ranks_;
    std::optional<ListeningPort> listening_;
    HostJournals journals_;
    Clock::time_point heard_ = Clock::now();
    bool mute_ = false;  // nobody reads what we say
};

}  // namespace dasgd::experiments
