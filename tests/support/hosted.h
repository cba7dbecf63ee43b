// Ranks of a backend without a run: every process of its layout is a thread of the test, with a host of its own.
#pragma once

#include <stdlib.h>

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/backends/backend.h"
#include "tests/support/ranks.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {

class NoSink final : public EventSink {
public:
    void span(const Span&) override {}
    void metric(const Metric&) override {}
    void state(RankState, std::int64_t, std::string_view) override {}
};

using HostedBody = std::function<void(RankHost& host, HostedRank& rank)>;

// Answers the errors of hosts that could not be opened. `sinks`: where ranks record; null: nowhere.
inline std::vector<std::string> onBackend(const dasgd::Backend& backend, const ClusterParams& cluster,
                                          const HostedBody& body,
                                          const std::function<Status(Communicator&)>& connected = nullptr,
                                          const std::function<EventSink&(Rank)>& sinks = nullptr) {
    const TempDir folder;
    MonotonicClock clock;
    NoSink sink;
    std::mutex mutex;
    std::vector<std::string> errors;
    std::vector<std::thread> processes;
    for (const std::vector<int>& ranks : backend.layout(cluster.ranks()).processes) {
        processes.emplace_back([&, ranks] {
            auto host = backend.open({.ranks = ranks,
                                      .clock = clock,
                                      .folder = folder.path(),
                                      .localRank = ranks.front(),
                                      .connected = connected,
                                      .sink = [&](Rank rank) -> EventSink& { return sinks ? sinks(rank) : sink; },
                                      .cluster = &cluster});
            if (host) return (*host)->run([&](HostedRank& rank) { body(**host, rank); });
            const std::lock_guard lock(mutex);
            errors.push_back(host.error().message);
        });
    }
    for (std::thread& process : processes) process.join();
    return errors;
}

inline std::vector<std::string> onBackend(const ClusterParams& cluster, const HostedBody& body,
                                          const std::function<Status(Communicator&)>& connected = nullptr) {
    return onBackend(*BackendRegistry::find(cluster.backend)->create(Value(), {}).value(), cluster, body, connected);
}

}  // namespace dasgd::test
