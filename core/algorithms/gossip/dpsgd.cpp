// D-PSGD (Lian et al., NeurIPS 2017, arXiv 1705.09056, algorithm 1): x ← Wx − ηg(x) in every step, the gradient at the
// unmixed x; or adapt-then-combine, x ← W(x − ηg(x)). Settings of gossip_sgd. With momentum the latter is DmSGD.
#include "core/algorithms/gossip/exchange_order.h"
#include "core/algorithms/gossip/graph_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

class Dpsgd : public GraphAverage {
public:
    explicit Dpsgd(const ExchangeOrder& params) : GraphAverage(params.every(1)) {}
};

const AddWithSyncSteps<Dpsgd, ExchangeOrder> kDpsgdEntry{
    "dpsgd", "Exchange with the neighbours of a graph in every step", "arXiv 1705.09056", gossipPattern()};

}  // namespace
}  // namespace dasgd
