#include "core/algorithms/gossip/graph_average.h"

#include <utility>

namespace dasgd {

GraphAverage::GraphAverage(const DelayedAverageParams& params, std::string defaultGraph)
    : GraphAverage(params, std::move(defaultGraph), std::make_shared<GraphMixing>()) {}

GraphAverage::GraphAverage(const DelayedAverageParams& params, std::string defaultGraph,
                           std::shared_ptr<GraphMixing> mixing)
    : DelayedAverage(
          params,
          {.prepare = [mixing](StepContext& context, std::int64_t round) { mixing->prepare(context, round); },
           .scale = [mixing](int) { return mixing->scale(); },
           .start = [mixing](Communicator& comm, at::Tensor& snapshot) { return mixing->start(comm, snapshot); },
           .received = mixing->received(),
           .factors = mixing->factors()}),
      default_(std::move(defaultGraph)),
      mixing_(std::move(mixing)) {
    mixing_->setGraph(graphOfDefaults(default_));
}

void GraphAverage::setGraph(std::shared_ptr<const Graph> graph) { mixing_->setGraph(std::move(graph)); }

std::optional<FieldError> GraphAverage::check(const RunOutline& facts) const { return mixing_->check(facts); }

void GraphAverage::start(StepContext& context) {
    DelayedAverage::start(context);
    mixing_->record(context);
}

}  // namespace dasgd
