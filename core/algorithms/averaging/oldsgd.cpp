// OLDSGD, overlapping local decentralised SGD (Zhou, Pu, arXiv 2601.01493): every τ steps a worker adds its local steps
// of the last period to what its neighbours and it had τ steps ago,
//
//   xᵢ(t) = Σⱼ Wᵢⱼ·xⱼ(t−τ) − η·Σ gᵢ(k), k = t−τ … t−1.
//
// The merge family's delta with d = τ, a snapshot of the start, and gossip instead of the mean. W is a ring's: 1/3 for
// a worker and each of its neighbours, 1/2 with two workers. It is doubly stochastic, so merges leave ⟨x⟩ alone. Rule
// and doubly stochastic W were checked against two published summaries of the paper; the ring is this program's choice.
//
// Memory: 2 N beside the weights, and N for each neighbour. Sends N to each neighbour a period, overlapped with all of
// it; a rank waits for its neighbours alone.
#include <torch/types.h>

#include <algorithm>
#include <memory>

#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

constexpr int kGossipTag = 0;

struct OldsgdParams {
    std::int64_t period = 4;
    void visit(auto&& f) {
        f(period, "period", periodField("Local steps between exchanges; each is merged when the next one leaves"));
    }
};

std::vector<Rank> ringNeighbours(Rank rank, int size) {
    const int own = rank.value();
    std::vector<Rank> all;
    for (const int other : {(own + size - 1) % size, (own + 1) % size}) {
        if (other != own && (all.empty() || all[0] != Rank(other))) all.emplace_back(other);
    }
    return all;
}

// Gossip with equal weights: every rank scales its own snapshot, and a mixture is a sum, which the merge forms.
Mixer ringMixer() {
    const auto received = std::make_shared<std::vector<at::Tensor>>();
    return {.scale = [](int size) { return 1.0 / std::min(size, 3); },
            .start =
                [received](Communicator& comm, at::Tensor& snapshot) {
                    const std::vector<Rank> neighbours = ringNeighbours(comm.rank(), comm.size());
                    while (received->size() < neighbours.size()) received->push_back(at::empty_like(snapshot));
                    std::vector<MessageCall> messages;
                    for (std::size_t i = 0; i < neighbours.size(); ++i) {
                        const Rank neighbour = neighbours[i];
                        messages.push_back({.peer = neighbour, .tag = kGossipTag, .tensor = (*received)[i]});
                        messages.push_back({.sends = true, .peer = neighbour, .tag = kGossipTag, .tensor = snapshot});
                    }
                    return comm.exchange(std::move(messages));
                },
            .received = received};
}

class Oldsgd : public DelayedAverage {
public:
    explicit Oldsgd(const OldsgdParams& params) : DelayedAverage(deltaOverPeriod(params.period), ringMixer()) {}
};

const AddWithSyncSteps<Oldsgd, OldsgdParams> kOldsgdEntry{"oldsgd",
                                                          "Overlapped exchange with the neighbours on a ring",
                                                          "arXiv 2601.01493",
                                                          {.kind = CommunicationPattern::Kind::Averages,
                                                           .period = ofField("period"),
                                                           .delay = ofField("period"),
                                                           .peers = 2}};

}  // namespace
}  // namespace dasgd
