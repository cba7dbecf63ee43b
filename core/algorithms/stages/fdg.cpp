// Fully decoupled learning with delayed gradients (Zhuang, Wang, Liu, Lin, arXiv 1906.09108): delayed_stages.h, with
// the graph of each forward pass kept. Stage k of K steps along the gradient at the weights of D_k = 2(K−1−k) ticks
// ago, w ← w − η·g(w of the forward pass): the pass keeps those weights, D_k copies of the stage's, beside its graph.
// lr_shrink is β. Stages with replicas are those of Pham and Ahn (arXiv 2509.05679).
//
// Checked against ZHUANGHP/FDG (FDG.py, DG_models.py): the order within a tick, D_k outputs that are kept, β on each
// gradient that a stage receives. Variants: there a graph refers to the parameters, which steps change in place, so
// that gradients of a stage with several layers go down through newer weights than the formula has; the last stage
// takes its step a tick later, before its next forward pass, which changes no value; and optimisers step before the
// first gradient too.
#include "core/algorithms/stages/delayed_stages.h"

namespace dasgd {
namespace {

struct FdgParams : StagedParams {
    double shrink = 1;
    void visit(auto&& f) {
        StagedParams::visit(f);
        f(shrink, "lr_shrink",
          {.min = 0,
           .max = 1,
           .minOpen = true,
           .symbol = "β",
           .help =
               "Factor on the gradient that a stage receives, so that lower stages, whose gradients are older, step "
               "less far"});
    }
};

class Fdg final : public DelayedStages {
public:
    explicit Fdg(const FdgParams& params) : DelayedStages(params, StageKeeps::GraphAndWeights, params.shrink) {}
};

const AlgorithmRegistry::Add<Fdg, FdgParams> kFdgEntry{
    "fdg", "Stages that step along gradients of earlier ticks and do not wait", "arXiv 1906.09108",
    noFormula("the time of a tick is one of its stages and the messages between them: simulate it")};

}  // namespace
}  // namespace dasgd
