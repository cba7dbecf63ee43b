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

// Answers the errors of hosts that could not be opened.
inline std::vector<std::string> onBackend(const ClusterParams& cluster,
                                          const std::function<void(RankHost& host, HostedRank& rank)>& body,
                                          const std::function<Status(Communicator&)>& connected = nullptr) {
    const auto backend = BackendRegistry::find(cluster.backend)->create(Value(), {}).value();
    const TempDir folder;
    MonotonicClock clock;
    NoSink sink;
    std::mutex mutex;
    std::vector<std::string> errors;
    std::vector<std::thread> processes;
    for (const std::vector<int>& ranks : backend->layout(cluster.ranks()).processes) {
        processes.emplace_back([&, ranks] {
            auto host = backend->open({.ranks = ranks,
                                       .clock = clock,
                                       .folder = folder.path(),
                                       .connected = connected,
                                       .sink = [&](Rank) -> EventSink& { return sink; },
                                       .cluster = &cluster});
            if (host) return (*host)->run([&](HostedRank& rank) { body(**host, rank); });
            const std::lock_guard lock(mutex);
            errors.push_back(host.error().message);
        });
    }
    for (std::thread& process : processes) process.join();
    return errors;
}

}  // namespace dasgd::test
