// Messages over a simulated network, sent at once: how long each takes tells where it went and whom it met there.
#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {

inline constexpr std::int64_t kElements = 250'000;  // 1 MB: 8 ms over 1 Gbit/s
inline constexpr double kTransfer = 0.008;
inline constexpr double kHop = 0.001;

struct Way {
    int from, to;
};

// Seconds that each of these messages of 1 MB takes, all sent at once.
inline std::vector<double> messages(const std::string& topology, const Value& network, int ranks,
                                    const std::vector<Way>& ways) {
    std::vector<double> took(ways.size());
    onVirtualCluster(topology, network, {.ranks = ranks}, [&](VirtualRank& rank) {
        std::vector<Pending> pending(ways.size());
        std::vector<at::Tensor> tensors;
        for (std::size_t i = 0; i < ways.size(); ++i) {
            tensors.push_back(torch::ones({kElements}));
            const int own = rank.comm.rank().value();
            const int tag = static_cast<int>(i);
            if (ways[i].from == own) pending[i] = rank.comm.send(tensors[i], Rank(ways[i].to), tag);
            if (ways[i].to == own) pending[i] = rank.comm.receive(tensors[i], Rank(ways[i].from), tag);
        }
        for (std::size_t i = 0; i < ways.size(); ++i) {
            if (!pending[i]) continue;
            pending[i].wait();
            took[i] = static_cast<double>(pending[i].interval()->end) * 1e-9;
        }
    });
    return took;
}

inline Fields equalLinks(Fields fields = {}) {
    fields.emplace_back("bandwidth", text("1Gbps"));
    fields.emplace_back("latency", text("1ms"));
    return fields;
}

inline Value integers(const std::vector<std::int64_t>& values) { return array(values); }

inline constexpr double kClose = 1e-6;

// Why the topology cannot be built for 17 ranks; empty where it can.
inline std::string refusalOf17(const std::string& name, Fields fields) {
    const auto fits = TopologyRegistry::find(name)->create(table(std::move(fields)), {}).value()->check(17);
    return fits ? std::string() : fits.error().message;
}

}  // namespace dasgd::test
