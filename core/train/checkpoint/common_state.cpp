#include "core/train/checkpoint/common_state.h"

#include <torch/types.h>

#include <algorithm>
#include <string>

#include "core/train/checkpoint/checkpoint_writer.h"
#include "core/train/checkpoint/saved_model.h"

namespace dasgd {

namespace {

constexpr const char* kOptimizer = "optimizer/";
constexpr const char* kPassState = "model/";
constexpr const char* kSharedStream = "random/shared";
constexpr const char* kSelection = "selection";

class MeanOptimizer {
public:
    Status add(const Archive& rank) {
        if (ranks_++ == 0) first_ = rank;
        return addTo(sums_, rank);
    }
    [[nodiscard]] Archive take() {
        for (auto& [name, sum] : sums_) {
            const auto known = first_.tensors().find(name);
            if (known != first_.tensors().end()) first_.put(name, sum.div_(ranks_).to(known->second.scalar_type()));
        }
        return std::move(first_);
    }

private:
    Archive first_;
    TensorSums sums_;
    int ranks_ = 0;
};

void putModel(Archive& into, const Archive& model, const Archive& rank) {
    for (const auto& [name, tensor] : model.tensors()) {
        into.put((rank.has("buffers/" + name) ? "buffers/" : "weights/") + name, tensor);
    }
}

}  // namespace

Result<CommonState> commonStateOf(const Checkpoint& checkpoint) {
    const at::NoGradGuard guard;
    CommonState common;
    MeanOptimizer optimizer;
    DASGD_ASSIGN(const Archive model, readModel(checkpoint));
    for (int i = 0; i < checkpoint.state.ranks; ++i) {
        const Rank rank(i);
        const std::string file = checkpoint.rankFile(rank).string();
        std::vector<std::string> wanted{kOptimizer};
        if (i == 0) wanted.insert(wanted.end(), {"buffers/", kPassState, kSharedStream, kSelection});
        DASGD_ASSIGN(const Archive saved, readRank(checkpoint, rank, wanted));
        DASGD_ASSIGN(RankCounters counters, countersOf(saved));
        common.counters.push_back(counters);
        const Status added = optimizer.add(saved.under(kOptimizer));
        if (!added) return fail(file + ": " + added.error().message);
        if (i > 0) continue;
        putModel(common.archive, model, saved);
        common.archive.putUnder(kPassState, saved.under(kPassState));
        for (const char* name : {kSharedStream, kSelection}) {
            if (!saved.has(name)) return fail(file + ": there is no '" + std::string(name) + "' in it");
            common.archive.put(name, saved.tensors().at(name));
        }
    }
    common.archive.putUnder(kOptimizer, optimizer.take());
    return common;
}

RankCounters takenOver(const std::vector<RankCounters>& counters, Rank rank, int ranks) {
    RankCounters own;
    std::int64_t sent = 0;
    for (const RankCounters& one : counters) {
        own.step = std::max(own.step, one.step);
        own.wall = std::max(own.wall, one.wall);
        own.trained = std::max(own.trained, one.trained);
        sent += one.bytesSent;
    }
    own.bytesSent = sent / ranks + (rank.value() < sent % ranks ? 1 : 0);
    return own;
}

Result<std::shared_ptr<const CommonState>> CommonStateOnce::of(const Checkpoint& checkpoint, int ranks) {
    const std::lock_guard lock(mutex_);
    if (!state_) {
        DASGD_ASSIGN(CommonState formed, commonStateOf(checkpoint));
        state_ = std::make_shared<const CommonState>(std::move(formed));
    }
    std::shared_ptr<const CommonState> state = state_;
    if (++given_ >= ranks) state_.reset();
    return state;
}

}  // namespace dasgd
