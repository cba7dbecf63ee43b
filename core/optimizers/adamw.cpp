#include "core/optimizers/fused_adam.h"

namespace dasgd {
namespace {

struct AdamwParams : AdamFields {
    AdamwParams() { weightDecay = 0.01; }
    void visit(auto&& f) { visitWith(f, "Shrinks the weights by ηλ a step"); }
};

// w *= 1 − ηλ, then Adam, in the order of torch.optim.AdamW: the decay leaves the moments alone.
const OptimizerRegistry::Add<FusedAdam<DecayKind::Decoupled>, AdamwParams> kAdamwEntry{
    "adamw", "Adam with decoupled weight decay", "arXiv 1711.05101"};

}  // namespace
}  // namespace dasgd
