// WAGMA-SGD by rounds (Li et al., TPDS 2021, arXiv 2005.00124): the ranks of a group take their mean, the groups change
// from round to round, and now and then all ranks are one group ([graph] groups with global_every). Variant: nobody
// contributes stale weights; there a late rank does, and the mean counts it so.
#include "core/algorithms/gossip/exchange_order.h"
#include "core/algorithms/gossip/graph_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct WagmaSgdParams {
    std::int64_t period = 1;
    ExchangeOrder order;
    void visit(auto&& f) {
        f(period, "period", periodField("Local steps between exchanges"));
        order.visit(f);
    }
};

class WagmaSgd : public GraphAverage {
public:
    explicit WagmaSgd(const WagmaSgdParams& params) : GraphAverage(params.order.every(params.period), "groups") {}
};

const AddWithSyncSteps<WagmaSgd, WagmaSgdParams> kWagmaSgdEntry{
    "wagma_sgd", "Groups that change from round to round and take their mean", "arXiv 2005.00124", gossipPattern()};

}  // namespace
}  // namespace dasgd
