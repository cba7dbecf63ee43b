// Pipeline of stages (Huang et al., GPipe, NeurIPS 2019, arXiv 1811.06965): the batch of a replica goes through its K
// stages in M micro-batches (train.accumulate), all forward passes before the first backward pass. The gradients are
// those of backpropagation through the whole model, to the last bit where one process accumulates the same
// micro-batches. With stages that take equally long and messages that take no time a stage rests for (K−1)/(M+K−1) of a
// step.
//
// Each stage keeps the graphs of M micro-batches. Sends the outputs of a stage forward and as many gradients back.
#include <vector>

#include "core/algorithms/stages/staged_algorithm.h"

namespace dasgd {
namespace {

class Pipeline final : public StagedAlgorithm {
public:
    using StagedAlgorithm::StagedAlgorithm;

    bool makePasses(StepContext& context) override {
        std::vector<StagePass> passes = stage().passesOf(context.step());
        std::vector<Pending> inputs(passes.size()), gradients(passes.size());
        for (std::size_t i = 0; i < passes.size(); ++i) {
            if (!place().isFirst()) inputs[i] = receiveInput(context, passes[i]);
        }
        for (std::size_t i = 0; i < passes.size(); ++i) {
            if (!place().isLast()) gradients[i] = receiveGradient(context, passes[i]);
        }
        for (std::size_t i = 0; i < passes.size(); ++i) {
            awaitInput(context, inputs[i], context.step(), passes[i]);
            stage().forward(passes[i], StageKeeps::Graph);
            if (!place().isLast()) sendOutput(context, passes[i]);
        }
        for (std::size_t i = 0; i < passes.size(); ++i) {
            awaitGradient(context, gradients[i], context.step(), passes[i]);
            const at::Tensor gradient = stage().backward(passes[i]);
            passes[i].output = at::Tensor();
            if (!place().isFirst()) sendGradient(context, gradient);
        }
        awaitSent(context);
        return true;
    }
};

const AlgorithmRegistry::Add<Pipeline, StagedParams> kPipelineEntry{
    "pipeline", "Backpropagation through stages, in micro-batches", "arXiv 1811.06965",
    noFormula("the time of a step is one of its stages and the messages between them: simulate it")};

}  // namespace
}  // namespace dasgd
