#include "core/algorithms/gossip/coded_pairs.h"

#include <torch/types.h>

#include <string>
#include <utility>

#include "core/algorithms/gossip/graph_mixing.h"
#include "core/cost/memory/memory_passes.h"
#include "core/step/archive.h"

namespace dasgd {

namespace {

const std::string kPairMessages = "received";

}  // namespace

CodedPairs::CodedPairs(std::shared_ptr<const CompressionSettings> settings, StepContext& context, const Graph& graph)
    : context_(context), graph_(graph), coder_(std::move(settings), context), message_(coder_.makeMessage()) {
    moveTo(0);
}

void CodedPairs::moveTo(std::int64_t round) {
    mix_ = graph_.mix({.number = round, .size = context_.comm().size(), .seed = context_.seed()},
                      context_.comm().rank().value());
}

void CodedPairs::encode(StepContext&, at::Tensor x) {
    if (mix_.to.empty()) return;
    const at::NoGradGuard guard;
    coder_.encode(x, message_);
}

void CodedPairs::launch(StepContext& context) {
    if (++exchanges_ == 1) coder_.recordRatio();
    flight_.launch(context, exchangeWith(context.comm(), mix_, message_, received_), coder_.messageBytes());
}

void CodedPairs::decode(at::Tensor x) {
    const at::NoGradGuard guard;
    for (std::size_t i = 0; i < mix_.from.size(); ++i) coder_.approach(received_[i], x, mix_.from[i].weight, x);
}

void CodedPairs::finish() {
    flight_.end();
    moveTo(exchanges_);
}

std::int64_t CodedPairs::encodeBytes() const {
    if (mix_.to.empty()) return 0;
    return snapshotBytes(coder_.encodePasses(), context_.params().bytes());
}

std::int64_t CodedPairs::decodeBytes() const {
    const double passes = coder_.decodePasses() * static_cast<double>(mix_.from.size());
    return mergeBytes(passes, context_.params().bytes());
}

void CodedPairs::save(StepContext& context, Archive& archive) {
    flight_.save(context, archive);
    archive.put("exchanges", exchanges_);
    if (flight_.any()) archive.put(kPairMessages, received_);
}

Status CodedPairs::load(const Archive& archive) {
    DASGD_TRY(flight_.load(archive));
    DASGD_ASSIGN(exchanges_, archive.integer("exchanges"));
    moveTo(flight_.any() ? exchanges_ - 1 : exchanges_);
    if (!flight_.any()) return {};
    for (std::size_t i = 0; i < mix_.from.size(); ++i) received_.push_back(coder_.makeMessage());
    return archive.read(kPairMessages, received_);
}

std::optional<FieldError> checkPairs(const Graph& graph, int ranks, const std::string& operatorName) {
    const int degree = largestDegree(graph, ranks, 0);
    if (degree <= 1) return std::nullopt;
    return FieldError{"graph.name", operatorName + " codes weights for one partner, and in this graph a rank has " +
                                        std::to_string(degree) +
                                        " neighbours in one round: choose random-pair, or groups of size 2"};
}

}  // namespace dasgd
