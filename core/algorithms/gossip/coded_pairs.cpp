#include "core/algorithms/gossip/coded_pairs.h"

#include <torch/types.h>

#include <string>
#include <utility>

#include "core/algorithms/gossip/graph_mixing.h"
#include "core/cost/memory/memory_passes.h"
#include "core/step/archive.h"

namespace dasgd {

namespace {

const std::string kPairMessage = "received/";

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
    isUnderWay_ = true;
    launchedAt_ = context.step();
    collective_ = 0;  // a rank without a neighbour has none
    pending_ = exchangeWith(context.comm(), mix_, message_, received_);
}

void CodedPairs::arrive(StepContext& context) {
    for (Pending& pending : pending_) {
        collective_ = pending.collective();
        context.executor().waitFor(pending, launchedAt_, coder_.messageBytes());
    }
    pending_.clear();
}

void CodedPairs::decode(at::Tensor x) {
    const at::NoGradGuard guard;
    for (std::size_t i = 0; i < mix_.from.size(); ++i) coder_.approach(received_[i], x, mix_.from[i].weight, x);
}

void CodedPairs::finish() {
    isUnderWay_ = false;
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
    arrive(context);
    archive.put("exchanges", exchanges_);
    archive.put("under_way", static_cast<std::int64_t>(isUnderWay_));
    if (!isUnderWay_) return;
    for (std::size_t i = 0; i < mix_.from.size(); ++i) archive.put(kPairMessage + std::to_string(i), received_[i]);
}

Status CodedPairs::load(const Archive& archive) {
    DASGD_ASSIGN(exchanges_, archive.integer("exchanges"));
    DASGD_ASSIGN(const std::int64_t underWay, archive.integer("under_way"));
    isUnderWay_ = underWay != 0;
    moveTo(isUnderWay_ ? exchanges_ - 1 : exchanges_);
    if (!isUnderWay_) return {};
    for (std::size_t i = 0; i < mix_.from.size(); ++i) {
        received_.push_back(coder_.makeMessage());
        DASGD_TRY(archive.read(kPairMessage + std::to_string(i), received_.back()));
    }
    return {};
}

std::optional<FieldError> checkPairs(const Graph& graph, int ranks, const std::string& operatorName) {
    const int degree = largestDegree(graph, ranks, 0);
    if (degree <= 1) return std::nullopt;
    return FieldError{"graph.name", operatorName + " codes weights for one partner, and in this graph a rank has " +
                                        std::to_string(degree) +
                                        " neighbours in one round: choose random-pair, or groups of size 2"};
}

}  // namespace dasgd
