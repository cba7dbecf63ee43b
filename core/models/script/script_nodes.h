// A walk over the nodes of TorchScript graphs.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

namespace dasgd {

// Calls visit(node) for every node of the block, of the blocks inside its nodes (the branches of an if, the body of a
// loop) and of the graphs that its nodes carry. Functions that are called are not entered.
template <class Visit>
void forEachNode(const torch::jit::Block& block, const Visit& visit) {
    for (const torch::jit::Node* node : block.nodes()) {
        visit(*node);
        for (const torch::jit::Block* inner : node->blocks()) forEachNode(*inner, visit);
        for (const c10::Symbol name : node->attributeNames()) {
            if (node->kindOf(name) == torch::jit::AttributeKind::g) forEachNode(*node->g(name)->block(), visit);
            if (node->kindOf(name) != torch::jit::AttributeKind::gs) continue;
            for (const auto& graph : node->gs(name)) forEachNode(*graph->block(), visit);
        }
    }
}

}  // namespace dasgd
