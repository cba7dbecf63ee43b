#include "core/algorithms/server/parameter_server.h"

#include <torch/types.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace dasgd {

std::optional<FieldError> ParameterServer::check(const RunOutline& facts) const {
    const std::int64_t weights = facts.weights();
    if (facts.byFormula && workersOf(facts.workers) > 1) {
        return FieldError{"network.fidelity",
                          "the workers of a parameter server share its link, and with fidelity = \"formula\" messages "
                          "share none: set fidelity = \"message\""};
    }
    if (facts.sharesWork && serversOf(facts.workers) > 1) {
        return FieldError{"servers",
                          "one server says who makes the next gradient where workers share the work: set "
                          "servers = 1"};
    }
    if (servers_ <= weights) return checkNorms(facts);
    return FieldError{"servers", "servers is " + std::to_string(servers_) + ", but the model has " +
                                     std::to_string(weights) + " weights to share out; allowed: 1 to " +
                                     std::to_string(weights)};
}

std::optional<FieldError> ParameterServer::checkNorms(const RunOutline& facts) const {
    if (serversOf(facts.workers) == 1 || workersStep()) return std::nullopt;
    const std::string each = ", and each of " + std::to_string(servers_) + " servers has only its share of them: ";
    if (facts.clips) {
        return FieldError{"train.gradient_clip", "gradients are clipped by the norm of all of them" + each +
                                                     "remove it, or set servers = 1 in [algorithm]"};
    }
    if (facts.layerwise) {
        return FieldError{"optimizer.name", "the optimiser takes norms of whole layers" + each +
                                                "choose another, or set servers = 1 in [algorithm]"};
    }
    return std::nullopt;
}

int ParameterServer::serversOf(int ranks) const { return static_cast<int>(std::min<std::int64_t>(servers_, ranks)); }

Roles ParameterServer::roles(int ranks) const {
    std::vector<int> serving(static_cast<std::size_t>(serversOf(ranks)));
    std::iota(serving.begin(), serving.end(), workersOf(ranks));
    return {ranks, serving};
}

std::optional<int> ParameterServer::serverIndex(StepContext& context) const {
    const int index = context.comm().rank().value() - workersOf(context.comm().size());
    return index < 0 ? std::nullopt : std::optional(index);
}

Shard ParameterServer::shard(StepContext& context, int server) const {
    return shardOf(server, serversOf(context.comm().size()), context.params().size());
}

void ParameterServer::start(StepContext& context) {
    const auto own = serverIndex(context);
    if (!own) return;
    const int workers = workersOf(context.comm().size());
    const Shard part = shard(context, *own);
    const ServerPolicy::Facts facts{.workers = workers,
                                    .completed = context.step() / period(),
                                    .seed = context.seed(),
                                    .start = context.clock().now()};
    server_.emplace(
        context, part, workers,
        ShardServer::Rule{.policy = makePolicy(facts), .update = makeUpdate(context, part.size), .period = period()});
    if (gradients_ > 0) server_->share(gradients_);
}

void ParameterServer::afterStep(StepContext& context) {
    exchange(context, context.params().gradients(), context.params().weights());
}

void ParameterServer::exchange(StepContext& context, const at::Tensor& push, const at::Tensor& pull) {
    const int ranks = context.comm().size();
    const std::int64_t step = context.step();
    std::vector<Pending> pushes, pulls;
    at::Tensor word = at::zeros({2}, at::kLong);
    Pending number;
    if (gradients_ > 0) number = context.comm().receive(word, Rank(workersOf(ranks)), kWordTag);
    for (int server = 0; server < serversOf(ranks); ++server) {
        const Rank to(workersOf(ranks) + server);
        const Shard part = shard(context, server);
        at::Tensor into = part.of(pull);
        pushes.push_back(context.comm().send(part.of(push), to, kGradientTag));
        pulls.push_back(context.comm().receive(into, to, kWeightsTag));
    }
    for (int server = 0; server < serversOf(ranks); ++server) {
        const auto i = static_cast<std::size_t>(server);
        const std::int64_t bytes = shard(context, server).size * static_cast<std::int64_t>(pull.element_size());
        context.executor().waitFor(pushes[i], step, bytes);
        awaitPull(context, pulls[i], server, bytes);
    }
    if (gradients_ == 0) return;
    context.executor().waitFor(number, step, kWordBytes);
    word_ = ServerWord{word.const_data_ptr<std::int64_t>()[0], word.const_data_ptr<std::int64_t>()[1]};
}

std::optional<SharesWork::Gradient> ParameterServer::nextGradient(StepContext& context) {
    // The first ones are the workers' in their order.
    if (!word_) word_ = ServerWord{.gradient = context.comm().rank().value() + 1, .step = 1};
    if (word_->gradient <= 0) return std::nullopt;
    return Gradient{.number = word_->gradient, .step = word_->step};
}

// Waits for a pull. A worker that waits for a slow one reaches its deadline before the server does.
void ParameterServer::awaitPull(StepContext& context, Pending& pull, int server, std::int64_t bytes) const {
    try {
        context.executor().waitFor(pull, context.step(), bytes);
    } catch (const CommError& error) {
        const std::string awaited = awaitedAfter(context.step());
        if (awaited.empty()) throw;
        const int rank = workersOf(context.comm().size()) + server;
        throw CommError(error.what() +
                        ("; rank " + std::to_string(rank) + ", a server, sends them once it has " + awaited));
    }
}

void ParameterServer::drain(StepContext& context) {
    if (server_) server_->close(context);
}

// Ranks meet at a save: a worker that went on would push gradients that a server has not saved. That is no part of the
// training, whose bytes it leaves alone.
void ParameterServer::save(StepContext& context, Archive& archive) {
    if (server_) server_->save(context, archive);
    const std::int64_t before = context.comm().bytesSent();
    at::Tensor nothing = at::zeros({1}, context.params().weights().options());
    Pending all = context.comm().allReduce(nothing, Reduce::Sum);
    context.executor().waitFor(all, context.step(), static_cast<std::int64_t>(nothing.nbytes()));
    context.comm().countSent(before - context.comm().bytesSent());
}

Status ParameterServer::load(StepContext& context, const Archive& archive) {
    start(context);
    return server_ ? server_->load(context, archive) : Status();
}

FlatParams ParameterServer::steppedPart(StepContext& context) {
    const auto own = serverIndex(context);
    if (!own) return context.params();
    const Shard part = shard(context, *own);
    return FlatParams::partOf(context.params(), part.begin, at::empty_like(part.of(context.params().weights())));
}

at::Tensor ParameterServer::namedWeights(StepContext& context) {
    const auto own = serverIndex(context);
    if (!own) return {};
    const Shard part = shard(context, *own);
    at::Tensor named = at::zeros_like(context.params().weights());
    part.of(named).copy_(part.of(context.params().weights()));
    return named;
}

}  // namespace dasgd
