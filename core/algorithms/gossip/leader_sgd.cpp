// Leader stochastic gradient descent, LSGD (Teng et al., NeurIPS 2019, arXiv 1905.10395): workers are pulled to the
// best of them, of their group and of all. After each step, and with G and L the leaders as they were last received (at
// first the start),
//   x ← x + p₂/τ_g·(G − x), then x ← x + p₁/τ_l·(L − x)
// Every τ_l steps L is the worker of the group whose losses are least, x ← x + c₁(L − x), and every τ_g steps then G
// the one of all, x ← x + c₂(G − x). With one group, or τ_l = τ_g, there is G alone. Ties go to the lowest rank.
//
// Checked against the authors' code (yunfei-teng/LSGD): a worker's loss is the mean of its last ones, τ_l of them in
// its script, and what is evaluated is the mean of the workers. Synchronous; there a server counts the steps of all,
// and workers that are faster have made more of them.
//
// Every τ_l steps one number is gathered and N broadcast within each group, every τ_g steps over all; all wait for it.
// Memory beside the weights: N for each leader.
#include <torch/types.h>

#include <cmath>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/extensions.h"
#include "core/algorithms/sync_steps.h"
#include "core/step/archive.h"

namespace dasgd {
namespace {

FieldSpec pullField(const char* symbol, const char* help) {
    return {.min = 0, .max = 1, .symbol = symbol, .help = help};
}

struct LeaderSgdParams {
    std::int64_t period = 16;
    std::int64_t groupPeriod = 4;
    std::int64_t groups = 1;
    double pull = 0.1;
    double groupPull = 0.1;
    double stepPull = 0.1;
    double groupStepPull = 0.1;
    std::int64_t lossWindow = 0;
    void visit(auto&& f) {
        f(period, "period", periodField("Steps between two leaders of all", "τ_g"));
        f(groupPeriod, "group_period",
          periodField("Steps between two leaders of a group, which divide the period; with several groups", "τ_l"));
        f(groups, "groups", {.min = 1, .max = 1e6, .help = "Groups of equally many ranks, one after the other"});
        f(pull, "pull", pullField("c₂", "Pull to a new leader of all"));
        f(groupPull, "group_pull", pullField("c₁", "Pull to a new leader of the group"));
        f(stepPull, "step_pull",
          pullField("p₂", "Pull to the last leader of all, spread over the steps of its period"));
        f(groupStepPull, "group_step_pull",
          pullField("p₁", "Pull to the last leader of the group, spread over the steps of its period"));
        f(lossWindow, "loss_window",
          {.min = 0, .max = 1e9, .unit = "losses", .help = "Last losses whose mean is compared; 0: those of a period"});
    }
    [[nodiscard]] bool isGrouped() const { return groups > 1 && groupPeriod < period; }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (groups == 1 || period % groupPeriod == 0) return std::nullopt;
        return FieldError{"group_period", "group_period is " + std::to_string(groupPeriod) +
                                              ", which does not divide the period of " + std::to_string(period) +
                                              " steps"};
    }
};

class LeaderSgd : public Algorithm, public Checkpointed {
public:
    explicit LeaderSgd(const LeaderSgdParams& params) : params_(params) {}

    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        if (facts.workers % params_.groups == 0) return std::nullopt;
        return FieldError{"groups", "groups is " + std::to_string(params_.groups) + ", which does not divide " +
                                        std::to_string(facts.workers) + " workers"};
    }
    [[nodiscard]] std::int64_t roundSteps() const override { return params_.period; }

    void start(StepContext& context) override {
        begin(context);
        for (const at::Tensor& leader : {leader_, groupLeader_}) at::Tensor(leader).copy_(context.params().weights());
    }
    void afterStep(StepContext& context) override {
        noteLoss(context);
        const std::int64_t k = context.ownSteps();
        pullTo(context, leader_, params_.stepPull / static_cast<double>(params_.period));
        if (params_.isGrouped()) {
            pullTo(context, groupLeader_, params_.groupStepPull / static_cast<double>(params_.groupPeriod));
            if (k % params_.groupPeriod == 0) follow(context, *group_, groupLeader_, params_.groupPull);
        }
        if (k % params_.period == 0) follow(context, context.comm(), leader_, params_.pull);
    }
    void drain(StepContext&) override {}
    void save(StepContext&, Archive& archive) override {
        archive.put("leader", leader_);
        archive.put("group_leader", groupLeader_);
        archive.put("losses", std::ssize(losses_));
        if (!losses_.empty()) archive.put("loss_values", at::stack(std::vector(losses_.begin(), losses_.end())));
    }
    Status load(StepContext& context, const Archive& archive) override {
        begin(context);
        DASGD_TRY(archive.read("leader", leader_));
        DASGD_TRY(archive.read("group_leader", groupLeader_));
        DASGD_ASSIGN(const std::int64_t losses, archive.integer("losses"));
        if (losses == 0) return {};
        at::Tensor values = at::empty({losses}, context.params().weights().options());
        DASGD_TRY(archive.read("loss_values", values));
        for (std::int64_t i = 0; i < losses; ++i) losses_.push_back(values[i].clone());
        return {};
    }

private:
    void begin(StepContext& context) {
        const at::Tensor& weights = context.params().weights();
        leader_ = at::empty_like(weights);
        groupLeader_ = at::empty_like(weights);
        if (!params_.isGrouped()) return;
        const int size = context.comm().size() / static_cast<int>(params_.groups);
        const int first = context.comm().rank().value() / size * size;
        std::vector<Rank> members;
        for (int member = first; member < first + size; ++member) members.emplace_back(member);
        group_ = context.comm().split(members);
    }
    [[nodiscard]] std::size_t window() const {
        if (params_.lossWindow > 0) return static_cast<std::size_t>(params_.lossWindow);
        return static_cast<std::size_t>(params_.isGrouped() ? params_.groupPeriod : params_.period);
    }
    void noteLoss(StepContext& context) {
        if (!context.loss().defined()) return;  // of time only
        losses_.push_back(context.loss().detach().to(context.params().weights().scalar_type()).clone());
        if (losses_.size() > window()) losses_.pop_front();
    }
    void pullTo(StepContext& context, const at::Tensor& leader, double share) {
        context.executor().run({SpanKind::Merge, context.params().bytes()}, [&] {
            const at::NoGradGuard guard;
            context.params().weights().lerp_(leader, share);
        });
    }
    // Chooses the leader among the ranks of `comm`, takes its weights and is pulled to them.
    void follow(StepContext& context, Communicator& comm, at::Tensor leader, double share) {
        at::Tensor own = at::zeros({1}, at::kDouble), all = at::zeros({comm.size(), 1}, at::kDouble);
        if (!losses_.empty()) own[0] = at::stack(std::vector(losses_.begin(), losses_.end())).mean().item<double>();
        Pending gathered = comm.allGather(own, all);
        context.executor().waitFor(gathered, context.step(), static_cast<std::int64_t>(own.nbytes()));
        const Rank best(leastOf(all));
        context.executor().run({SpanKind::Snapshot, context.params().bytes()}, [&] {
            const at::NoGradGuard guard;
            if (comm.rank() == best) leader.copy_(context.params().weights());
        });
        Pending sent = comm.broadcast(leader, best);
        context.executor().waitFor(sent, context.step(), context.params().bytes());
        pullTo(context, leader, share);
    }
    // The first of the least; what is no number is larger than any.
    [[nodiscard]] static int leastOf(const at::Tensor& losses) {
        const auto* values = losses.const_data_ptr<double>();
        int best = 0;
        for (int rank = 1; rank < static_cast<int>(losses.numel()); ++rank) {
            if (values[rank] < values[best] || std::isnan(values[best])) best = rank;
        }
        return best;
    }

    LeaderSgdParams params_;
    std::unique_ptr<Communicator> group_;  // null with one group
    at::Tensor leader_, groupLeader_;      // [N]: G, L
    std::deque<at::Tensor> losses_;        // scalars, the last ones
};

const AddWithSyncSteps<LeaderSgd, LeaderSgdParams> kLeaderSgdEntry{
    "leader_sgd", "Workers that are pulled to the best of them", "arXiv 1905.10395",
    noFormula("its leaders are broadcast, which the cost model has no time for")};

}  // namespace
}  // namespace dasgd
