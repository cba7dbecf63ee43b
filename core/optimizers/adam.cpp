#include "core/optimizers/fused_adam.h"

namespace dasgd {
namespace {

struct AdamParams : AdamFields {
    void visit(auto&& f) { visitWith(f, "Added to the gradient as λw, before its moments are formed"); }
};

// g += λw, then Adam, in the order of torch.optim.Adam.
const OptimizerRegistry::Add<FusedAdam<DecayKind::Coupled>, AdamParams> kAdamEntry{
    "adam", "Adam with coupled (L2) weight decay", "arXiv 1412.6980"};

}  // namespace
}  // namespace dasgd
