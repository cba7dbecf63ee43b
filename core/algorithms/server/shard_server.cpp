#include "core/algorithms/server/shard_server.h"

#include <torch/types.h>

#include <algorithm>
#include <numeric>

#include "core/base/metric_names.h"
#include "core/gpu/flat_ops.h"
#include "core/optimizers/optimizer.h"
#include "core/step/archive.h"

namespace dasgd {

namespace {

constexpr int kMissingToName = 8;

}  // namespace

Shard shardOf(int server, int servers, std::int64_t elements) {
    const std::int64_t begin = elements * server / servers;
    return {begin, elements * (server + 1) / servers - begin};
}

ShardServer::ShardServer(StepContext& context, const Shard& shard, int workers, std::int64_t staleness)
    : weights_(shard.of(context.params().weights())),
      staleness_(staleness),
      bytes_(static_cast<std::int64_t>(weights_.nbytes())),
      workers_(static_cast<std::size_t>(workers)),
      free_(workers_.size()) {
    for (std::size_t place = 0; place < free_.size(); ++place) {
        places_.push_back({FlatParams::partOf(context.params(), shard.begin, at::empty_like(weights_)), {}});
    }
    std::iota(free_.begin(), free_.end(), std::size_t{0});
}

std::int64_t ShardServer::slowest() const { return std::ranges::min_element(workers_, {}, &Worker::clock)->clock; }

void ShardServer::serve(StepContext& context) {
    taken_ = stale_ = 0;
    while (slowest() < context.step()) {
        post(context);
        take(context);
        answer(context);
    }
    context.record(metrics::kStalenessUpdates, static_cast<double>(stale_) / static_cast<double>(taken_));
    context.metric("gradients", static_cast<double>(taken_));
}

void ShardServer::post(StepContext& context) {
    for (const std::size_t place : free_) {
        places_[place].push = context.comm().receiveAny(places_[place].shard.gradients(), kGradientTag);
        order_.push_back(place);
    }
    free_.clear();
}

// Takes the next gradient. Receives are answered in the order in which they were posted.
void ShardServer::take(StepContext& context) {
    const std::size_t place = order_.front();
    Worker& worker = workers_[static_cast<std::size_t>(await(context, places_[place]).value())];
    order_.pop_front();
    ++worker.clock;
    worker.place = place;
    worker.waits = true;
    ++taken_;
    stale_ += version_ - worker.version;
    if (staleness_ > 0) {
        update(context, place);
    } else if (slowest() == context.step()) {
        updateOfMean(context);
    }
}

Rank ShardServer::await(StepContext& context, Place& place) {
    try {
        return context.executor().waitFor(place.push, context.step(), bytes_).value();
    } catch (const CommError& error) {
        throw CommError(error.what() + missingWorkers(context.step()));
    }
}

std::string ShardServer::missingWorkers(std::int64_t step) const {
    std::string text = "; no gradient of step " + std::to_string(step) + " has come from rank";
    int missing = 0;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        if (workers_[i].clock >= step || ++missing > kMissingToName) continue;
        text += (missing == 1 ? " " : ", ") + std::to_string(i);
    }
    return missing <= kMissingToName ? text : text + " and " + std::to_string(missing - kMissingToName) + " more";
}

void ShardServer::update(StepContext& context, std::size_t place) {
    context.executor().run({SpanKind::Merge, bytes_},
                           [&] { context.optimizer().step(places_[place].shard, context.learningRate()); });
    ++version_;
    free_.push_back(place);
}

void ShardServer::updateOfMean(StepContext& context) {
    const auto gradients = static_cast<std::int64_t>(workers_.size());
    Place& first = places_[workers_.front().place];
    context.executor().run({SpanKind::Merge, gradients * bytes_}, [&] {
        const at::NoGradGuard guard;
        // Sums in the order of the workers, whichever came first, so that it repeats to the last bit.
        std::vector<at::Tensor> all;
        for (const Worker& worker : workers_) all.push_back(places_[worker.place].shard.gradients());
        sumFlat(all, {.out = all.front(), .divisor = static_cast<double>(gradients)});
        context.optimizer().step(first.shard, context.learningRate());
    });
    ++version_;
    for (const Worker& worker : workers_) free_.push_back(worker.place);
}

void ShardServer::answer(StepContext& context) {
    const std::int64_t slowest = this->slowest();
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        if (!workers_[i].waits || workers_[i].clock - slowest > staleness_) continue;
        workers_[i].waits = false;
        send(context, static_cast<int>(i));
    }
}

void ShardServer::send(StepContext& context, int to) {
    Worker& worker = workers_[static_cast<std::size_t>(to)];
    if (copied_ != version_) {
        copy_ = at::empty_like(weights_);
        copied_ = version_;
        context.executor().run({SpanKind::Snapshot, bytes_}, [&] {
            const at::NoGradGuard guard;
            copy_.copy_(weights_);
        });
    }
    // The previous answer has arrived: the worker has made a step with it.
    if (worker.answer) context.executor().waitFor(worker.answer, worker.answeredAt, bytes_);
    worker.answer = context.comm().send(copy_, Rank{to}, kWeightsTag);
    worker.answeredAt = context.step();
    worker.version = version_;
}

void ShardServer::close(StepContext& context) {
    for (Worker& worker : workers_) {
        if (worker.answer) context.executor().waitFor(worker.answer, worker.answeredAt, bytes_);
    }
    for (const std::size_t place : order_) {
        places_[place].push.cancel();
        places_[place].push = Pending();
        free_.push_back(place);
    }
    order_.clear();
}

void ShardServer::save(StepContext& context, Archive& archive) {
    close(context);
    std::vector<std::int64_t> versions;
    for (const Worker& worker : workers_) versions.push_back(worker.version);
    archive.put("version", version_);
    archive.put("versions", torch::tensor(versions, torch::kInt64));
}

Status ShardServer::load(StepContext& context, const Archive& archive) {
    DASGD_ASSIGN(version_, archive.integer("version"));
    at::Tensor versions = at::empty({static_cast<std::int64_t>(workers_.size())}, torch::kInt64);
    DASGD_TRY(archive.read("versions", versions));
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        workers_[i].clock = context.step();
        workers_[i].version = versions.const_data_ptr<std::int64_t>()[i];
    }
    return {};
}

}  // namespace dasgd
