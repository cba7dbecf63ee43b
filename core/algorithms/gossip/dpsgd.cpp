// D-PSGD (Lian et al., NeurIPS 2017, arXiv 1705.09056, algorithm 1): x ← Wx − ηg(x) in every step, the gradient at the
// unmixed x; or adapt-then-combine, x ← W(x − ηg(x)). Settings of gossip_sgd. With momentum the latter is DmSGD, with
// [compression] CHOCO-SGD (Koloskova, Stich, Jaggi, ICML 2019, arXiv 1907.09356, algorithm 2).
#include "core/algorithms/gossip/exchange_order.h"
#include "core/algorithms/gossip/graph_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct DpsgdParams {
    ExchangeOrder order;
    double consensus = 1;
    void visit(auto&& f) {
        order.visit(f);
        f(consensus, "consensus", consensusField());
    }
};

class Dpsgd : public GraphAverage {
public:
    explicit Dpsgd(const DpsgdParams& params) : GraphAverage(params.order.every(1), "ring", params.consensus) {}
};

const AddWithSyncSteps<Dpsgd, DpsgdParams> kDpsgdEntry{"dpsgd", "Exchange with the neighbours of a graph in every step",
                                                       "arXiv 1705.09056", gossipPattern()};

}  // namespace
}  // namespace dasgd
