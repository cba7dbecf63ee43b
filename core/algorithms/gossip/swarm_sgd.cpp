// SwarmSGD by rounds (Nadiradze et al., NeurIPS 2021, arXiv 1910.12308): after H local steps random pairs take their
// mean, blocking, or a round late with the local steps since. Variant: pairs come together in rounds, all at once;
// there each pair meets when it likes.
#include "core/algorithms/gossip/graph_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct SwarmSgdParams {
    std::int64_t period = 3;
    bool blocking = false;
    void visit(auto&& f) {
        f(period, "period", periodField("Local steps between two exchanges of a pair", "H"));
        f(blocking, "blocking", {.help = "Wait for the partner; otherwise its weights of a round ago are merged"});
    }
    [[nodiscard]] DelayedAverageParams values() const {
        if (!blocking) return deltaOverPeriod(period);
        return {.period = period, .delay = 0, .localWeight = 0};
    }
};

class SwarmSgd : public GraphAverage {
public:
    explicit SwarmSgd(const SwarmSgdParams& params) : GraphAverage(params.values(), "random-pair") {}
};

const AddWithSyncSteps<SwarmSgd, SwarmSgdParams> kSwarmSgdEntry{
    "swarm_sgd", "Random pairs that take their mean every few steps", "arXiv 1910.12308", gossipPattern()};

}  // namespace
}  // namespace dasgd
