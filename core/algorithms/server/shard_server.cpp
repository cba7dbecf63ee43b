#include "core/algorithms/server/shard_server.h"

#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/check.h"
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

ShardServer::ShardServer(StepContext& context, const Shard& shard, int workers, Rule rule)
    : weights_(shard.of(context.params().weights())),
      rule_(std::move(rule)),
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
    taken_ = applied_ = dropped_ = stale_ = lead_ = 0;
    while (!isDone(context.step())) {
        post(context);
        take(context);
        obeyPolicy(context);
        if (isOver()) {
            rule_.policy->noneFollows();
            obeyPolicy(context);
        }
        answer(context);
    }
    if (applied_ > 0) {
        context.record(metrics::kStalenessUpdates, static_cast<double>(stale_) / static_cast<double>(applied_));
    }
    context.record(metrics::kStalenessLead, static_cast<double>(lead_));
    context.metric("gradients", static_cast<double>(taken_));
    if (updates_ > 0) context.metric("dropped", static_cast<double>(dropped_));
    for (const auto& [name, value] : rule_.policy->takeMetrics()) context.metric(name, value);
}

bool ShardServer::isDone(std::int64_t step) const {
    if (gradients_ == 0) return slowest() >= step / rule_.period;
    if (updates_ > 0) return ended_ ? isOver() : version_ >= step;
    const std::int64_t due = step * static_cast<std::int64_t>(workers_.size());
    return takenInAll_ >= (ended_ ? std::min(granted_, due) : due);
}

void ShardServer::share(std::int64_t gradients) {
    const auto workers = static_cast<std::int64_t>(workers_.size());
    gradients_ = gradients;
    granted_ = workers;
    if (rule_.policy->countsUpdates()) updates_ = gradients / workers;
    ended_ = updates_ == 0 && granted_ == gradients_;
}

bool ShardServer::endSharing(bool stopped) {
    if (ended_) return false;
    ended_ = true;
    stopped_ = stopped;
    return true;
}

void ShardServer::post(StepContext& context) {
    for (const std::size_t place : free_) {
        places_[place].push = context.comm().receiveAny(places_[place].shard.gradients(), kGradientTag);
        receiving_.push_back(place);
    }
    free_.clear();
}

void ShardServer::take(StepContext& context) {
    const std::size_t place = nextArrival(context);
    const std::shared_ptr<Pending::Operation> push = places_[place].push.operation();
    const int from = await(context, places_[place]).value();
    Worker& worker = workers_[static_cast<std::size_t>(from)];
    std::erase(receiving_, place);
    lead_ = std::max(lead_, worker.lead);
    ++worker.clock;
    worker.place = place;
    worker.waits = true;
    ++taken_;
    ++takenInAll_;
    rule_.policy->take(
        {.worker = from, .clock = worker.clock, .version = worker.version, .at = push->outcome()->interval.end});
}

// Drops what the policy drops and makes the updates that are due.
void ShardServer::obeyPolicy(StepContext& context) {
    for (const int worker : rule_.policy->takeDropped()) {
        free_.push_back(workers_[static_cast<std::size_t>(worker)].place);
        ++dropped_;
    }
    while (const auto due = rule_.policy->nextUpdate()) {
        makeUpdate(context, *due);
        ended_ = ended_ || (updates_ > 0 && version_ == updates_);
    }
}

// Waits for a gradient and returns the place of the one that arrived first; of several at one instant that of the
// worker of lowest rank.
std::size_t ShardServer::nextArrival(StepContext& context) {
    std::vector<Pending*> pushes;
    for (const std::size_t place : receiving_) pushes.push_back(&places_[place].push);
    try {
        context.executor().waitForAny(pushes);
    } catch (const CommError& error) {
        throw CommError(error.what() + missingWorkers(context.step()));
    }
    std::optional<std::size_t> first;
    std::pair<Ns, Rank> arrival{INT64_MAX, Rank(0)};
    for (const std::size_t place : receiving_) {
        Pending& push = places_[place].push;
        if (!push.done()) continue;
        const auto interval = push.interval();
        // The reason for which one failed is told where it is waited for.
        if (!interval) return place;
        const std::pair<Ns, Rank> arrived{interval->end, push.source().value()};
        if (first && arrival <= arrived) continue;
        first = place;
        arrival = arrived;
    }
    DASGD_CHECK(first && "one has ended");
    return *first;
}

Rank ShardServer::await(StepContext& context, Place& place) {
    try {
        return context.executor().waitFor(place.push, context.step(), bytes_).value();
    } catch (const CommError& error) {
        throw CommError(error.what() + missingWorkers(context.step()));
    }
}

std::string ShardServer::missingWorkers(std::int64_t step) const {
    const bool shared = gradients_ > 0;
    const std::int64_t pushes = step / rule_.period;
    std::string text = shared ? "; no gradient has come since its last answer from rank"
                              : "; nothing of step " + std::to_string(pushes * rule_.period) + " has come from rank";
    int missing = 0;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        const bool came = shared ? workers_[i].waits || workers_[i].isDismissed : workers_[i].clock >= pushes;
        if (came || ++missing > kMissingToName) continue;
        text += (missing == 1 ? " " : ", ") + std::to_string(i);
    }
    if (missing > kMissingToName) text += " and " + std::to_string(missing - kMissingToName) + " more";
    if (rule_.period > 1) {
        text += "; a worker comes once in " + std::to_string(rule_.period) +
                " steps, so cluster.timeout_s must be longer than these take";
    }
    return text;
}

void ShardServer::makeUpdate(StepContext& context, const ServerPolicy::Update& update) {
    std::vector<at::Tensor> gradients;
    for (const int worker : update.workers) {
        const std::size_t place = workers_[static_cast<std::size_t>(worker)].place;
        gradients.push_back(places_[place].shard.gradients());
        free_.push_back(place);
        stale_ += version_ - workers_[static_cast<std::size_t>(worker)].version;
        ++applied_;
    }
    const auto count = static_cast<std::int64_t>(gradients.size());
    Place& first = places_[workers_[static_cast<std::size_t>(update.workers.front())].place];
    context.executor().run({SpanKind::Merge, count * bytes_}, [&] {
        const at::NoGradGuard guard;
        // Sums in the order of the workers, whichever came first, so that it repeats to the last bit.
        if (count > 1) sumFlat(gradients, {.out = gradients.front(), .divisor = static_cast<double>(count)});
        if (update.forgetsMomentum) context.optimizer().reset();
        rule_.update->make(context, first.shard, context.learningRate() * update.rate, update.workers);
    });
    ++version_;
}

void ShardServer::answer(StepContext& context) {
    const std::int64_t slowest = this->slowest();
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        // Where nothing follows, there is nothing to wait for.
        if (!workers_[i].waits || (!isOver() && !rule_.policy->mayStart(static_cast<int>(i)))) continue;
        workers_[i].waits = false;
        workers_[i].lead = (workers_[i].clock - slowest) * rule_.period;
        send(context, static_cast<int>(i));
    }
}

void ShardServer::send(StepContext& context, int to) {
    Worker& worker = workers_[static_cast<std::size_t>(to)];
    const at::Tensor own = rule_.update->answerTo(to);
    const at::Tensor& answer = own.defined() ? own : copyOfWeights(context);
    // The previous answer has arrived: the worker has made a step with it.
    if (worker.answer) context.executor().waitFor(worker.answer, worker.answeredAt, bytes_);
    if (gradients_ > 0) sendWord(context, worker, to);
    worker.answer = context.comm().send(answer, Rank{to}, kWeightsTag);
    worker.answeredAt = context.step();
    worker.version = version_;
}

const at::Tensor& ShardServer::copyOfWeights(StepContext& context) {
    if (copied_ == version_) return copy_;
    copy_ = at::empty_like(weights_);
    copied_ = version_;
    context.executor().run({SpanKind::Snapshot, bytes_}, [&] {
        const at::NoGradGuard guard;
        copy_.copy_(weights_);
    });
    return copy_;
}

void ShardServer::sendWord(StepContext& context, Worker& worker, int to) {
    ServerWord word{.gradient = stopped_ ? kStopped : kOver};
    if (!ended_) {
        const auto workers = static_cast<std::int64_t>(workers_.size());
        word.gradient = ++granted_;
        word.step = updates_ > 0 ? version_ + 1 : (granted_ + workers - 1) / workers;
        ended_ = updates_ == 0 && granted_ == gradients_;
    }
    worker.isDismissed = word.gradient <= 0;
    const at::Tensor message = torch::tensor({word.gradient, word.step}, torch::kInt64);
    if (worker.word) context.executor().waitFor(worker.word, worker.answeredAt, kWordBytes);
    worker.word = context.comm().send(message, Rank{to}, kWordTag);
}

void ShardServer::close(StepContext& context) {
    for (Worker& worker : workers_) {
        if (worker.word) context.executor().waitFor(worker.word, worker.answeredAt, kWordBytes);
        if (worker.answer) context.executor().waitFor(worker.answer, worker.answeredAt, bytes_);
    }
    for (const std::size_t place : receiving_) {
        places_[place].push.cancel();
        places_[place].push = Pending();
        free_.push_back(place);
    }
    receiving_.clear();
}

void ShardServer::save(StepContext& context, Archive& archive) {
    close(context);
    std::vector<std::int64_t> versions, leads;
    for (const Worker& worker : workers_) {
        versions.push_back(worker.version);
        leads.push_back(worker.lead);
    }
    archive.put("version", version_);
    archive.put("versions", torch::tensor(versions, torch::kInt64));
    archive.put("leads", torch::tensor(leads, torch::kInt64));
    rule_.policy->save(archive);
    rule_.update->save(archive);
}

Status ShardServer::load(StepContext& context, const Archive& archive) {
    DASGD_ASSIGN(version_, archive.integer("version"));
    at::Tensor versions = at::empty({static_cast<std::int64_t>(workers_.size())}, torch::kInt64);
    DASGD_TRY(archive.read("versions", versions));
    at::Tensor leads = at::empty_like(versions);
    DASGD_TRY(archive.read("leads", leads));
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        workers_[i].clock = context.step() / rule_.period;
        workers_[i].version = versions.const_data_ptr<std::int64_t>()[i];
        workers_[i].lead = leads.const_data_ptr<std::int64_t>()[i];
    }
    DASGD_TRY(rule_.policy->load(archive));
    return rule_.update->load(archive);
}

}  // namespace dasgd
