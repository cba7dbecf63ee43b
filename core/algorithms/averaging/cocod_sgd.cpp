// CoCoD-SGD (Shen et al., IJCAI 2019, arXiv 1906.12043): every τ steps x ← m + (x − s), with s the snapshot of τ steps
// ago and m the mean of all ranks' s; then the next snapshot leaves. The merge family's delta with d = τ and a snapshot
// of the start, which the authors' code does not send. Read there: JYWa/Overlap_Local_SGD, distoptim/CoCoDSGD.py.
//
// Memory: 2 N beside the weights. Sends one all-reduce a period, overlapped with all of it.
#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct CocodSgdParams {
    std::int64_t period = 4;
    void visit(auto&& f) {
        f(period, "period", periodField("Local steps between averages; each is merged when the next one leaves"));
    }
};

class CocodSgd : public DelayedMean {
public:
    explicit CocodSgd(const CocodSgdParams& params) : DelayedMean(deltaOverPeriod(params.period)) {}
};

const AddWithSyncSteps<CocodSgd, CocodSgdParams> kCocodSgdEntry{
    "cocod_sgd", "Averages overlapped with a whole period, local steps kept", "arXiv 1906.12043",
    averagesOfWeights(ofField("period"))};

}  // namespace
}  // namespace dasgd
