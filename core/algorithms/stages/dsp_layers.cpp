// Diversely stale parameters (Xu, Huo, Huang, arXiv 1909.02625): delayed_stages.h, with the inputs of a stage kept and
// its forward pass made again at the time of the backward pass, with the weights that it then has. The gradient that is
// sent down is that of outputs which these weights no longer give. One more forward pass a tick than fdg, and D_k
// inputs in place of D_k graphs and copies of the weights.
//
// The name says layers, since another DSP, dynamic sequence parallelism, divides samples.
#include "core/algorithms/stages/delayed_stages.h"

namespace dasgd {
namespace {

class DspLayers final : public DelayedStages {
public:
    explicit DspLayers(const StagedParams& params) : DelayedStages(params, StageKeeps::Input, 1) {}
};

const AlgorithmRegistry::Add<DspLayers, StagedParams> kDspLayersEntry{
    "dsp_layers", "Stages that make their forward pass again for gradients of earlier ticks", "arXiv 1909.02625",
    noFormula("the time of a tick is one of its stages and the messages between them: simulate it")};

}  // namespace
}  // namespace dasgd
