#include "core/algorithms/gossip/graph_average.h"

#include <utility>

#include "core/algorithms/gossip/coded_pairs.h"
#include "core/algorithms/gossip/public_copies.h"

namespace dasgd {

namespace {

bool codesPairs(const CompressionSettings& settings) { return settings.compressor->properties().forPairs; }

}  // namespace

GraphAverage::GraphAverage(const DelayedAverageParams& params, std::string defaultGraph, double consensus)
    : GraphAverage(params, std::move(defaultGraph), consensus, std::make_shared<GraphMixing>()) {}

GraphAverage::GraphAverage(const DelayedAverageParams& params, std::string defaultGraph, double consensus,
                           std::shared_ptr<GraphMixing> mixing)
    : DelayedAverage(
          params,
          {.prepare = [mixing](StepContext& context, std::int64_t round) { mixing->prepare(context, round); },
           .scale = [mixing](int) { return mixing->scale(); },
           .start = [mixing](Communicator& comm, at::Tensor& snapshot) { return mixing->start(comm, snapshot); },
           .received = mixing->received(),
           .factors = mixing->factors()}),
      default_(std::move(defaultGraph)),
      consensus_(consensus),
      mixing_(std::move(mixing)) {
    mixing_->setGraph(graphOfDefaults(default_));
}

void GraphAverage::setGraph(std::shared_ptr<const Graph> graph) { mixing_->setGraph(std::move(graph)); }

std::optional<FieldError> GraphAverage::check(const RunOutline& facts) const {
    if (auto refused = mixing_->check(facts)) return refused;
    if (compression_ && codesPairs(*compression_)) {
        // Without pairs the operator itself is refused.
        if (!exchangesPairs()) return std::nullopt;
        return checkPairs(mixing_->graph(), facts.workers, compression_->name);
    }
    if (compression_) {
        auto refused = checkStaticGraph(mixing_->graph(), facts.workers);
        if (refused && exchangesPairs()) refused->message += ", or choose lattice, which keeps none";
        return refused;
    }
    if (consensus_ == 1) return std::nullopt;
    return FieldError{"consensus",
                      "without [compression] ranks go all the way to the mixture: set consensus = 1, or name an "
                      "operator in [compression]"};
}

std::optional<FieldError> GraphAverage::checkCompression(const CompressionSettings& settings) const {
    return codesPairs(settings) ? checkPairSettings(settings) : checkPublicCopies(settings);
}

std::unique_ptr<CodedExchange> GraphAverage::makeCoded(StepContext& context) {
    if (!compression_) return nullptr;
    if (codesPairs(*compression_)) return std::make_unique<CodedPairs>(compression_, context, mixing_->graph());
    return std::make_unique<PublicCopies>(compression_, context, mixing_->graph(),
                                          PublicCopies::Steps{.consensus = consensus_});
}

void GraphAverage::start(StepContext& context) {
    DelayedAverage::start(context);
    mixing_->record(context);
}

}  // namespace dasgd
