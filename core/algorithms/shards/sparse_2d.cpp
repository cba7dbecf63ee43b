// Two-dimensional sparse parallelism (Zhang et al., arXiv 2508.03854) for models with embedding tables: P ranks are P/G
// groups of G. A group has the E tables once, E/G on each of its ranks, and each of its ranks trains on samples of its
// own: it sends the row numbers that they name to the ranks with the tables, which send the sums of these rows, and get
// their gradients back. The P/G ranks with the same tables of different groups average them, and the optimiser's state
// of them, every T steps (`period`); that is Local SGD of the groups, so that the average may be late as DaSGD's is
// (averaging/delayed_average.h): with s the tables that left d steps ago and m their mean
//
//   w ← ξ·w + (1−ξ)·(m + c·(w − s))
//
// All other parameters step along the mean gradient of all ranks, in one all-reduce behind the backward pass. A table's
// gradient is that of the mean loss over its group's samples. So with G = P, and with T = 1, d = 0 and SGD, the
// training is synchronous SGD. The published rule averages at once (d = 0) and has an AdaGrad of its own, which is not
// here.
//
// Sent by a rank for b samples in each step: e·b·E·(L + 2·width)·(G−1)/G for L row numbers a table and e bytes a
// number; every T steps its tables in an all-reduce among P/G; and the all-reduce of the rest. Messages travel before
// and behind the passes, outside of autograd, so that a simulated rank can be suspended while it waits.
//
// Checked against torchrec (DMPCollection): weights and the optimiser's state are averaged among the ranks with the
// same tables. Groups are consecutive ranks here, as there with use_inter_host_allreduce, so that the exchanges of each
// step can stay within a host; its default puts the ranks that average next to each other.
#include <torch/types.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/extensions.h"
#include "core/cost/memory/memory_passes.h"
#include "core/optimizers/optimizer.h"
#include "core/step/archive.h"
#include "core/step/step_context.h"

namespace dasgd {
namespace {

struct Sparse2dParams {
    std::int64_t group = 0;
    DelayedAverageParams values{
        .period = 1, .delay = 0, .localWeight = 0, .correction = 1, .optimizerState = "average"};
    void visit(auto&& f) {
        f(group, "group",
          {.min = 0,
           .max = 1e6,
           .unit = "ranks",
           .symbol = "G",
           .help = "Consecutive ranks that have the embedding tables once among them; 0: all"});
        f(values.period, "period", periodField("Steps between averages of the tables of different groups", "T"));
        f(values.delay, "delay", delayField("Steps from the snapshot of tables to its merge; at most the period"));
        f(values.localWeight, "local_weight",
          {.min = 0,
           .max = 1,
           .maxOpen = true,
           .symbol = "ξ",
           .help = "Weight of the group's own tables in the merge"});
        f(values.correction, "correction",
          {.min = 0,
           .max = 1,
           .symbol = "c",
           .help = "Share of the steps since the snapshot that is added to the mean: 0 none, 1 all"});
    }
    [[nodiscard]] std::optional<FieldError> check() const { return values.check(); }
};

std::int64_t bytesOf(const at::Tensor& tensor) { return static_cast<std::int64_t>(tensor.nbytes()); }

class Sparse2d final : public Algorithm,
                       public DividesTables,
                       public OwnUpdate,
                       public StepsPart,
                       public Checkpointed,
                       public NamesWeights,
                       public SendsUncoded {
public:
    explicit Sparse2d(const Sparse2dParams& params) : params_(params), average_(params.values) {}

    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override;
    [[nodiscard]] std::int64_t roundSteps() const override { return params_.values.period; }
    void setTables(std::int64_t tables) override { tables_ = tables; }

    void start(StepContext& context) override {
        connect(context);
        if (tableContext_) average_.start(*tableContext_);
    }
    at::Tensor lookUp(StepContext& context, const at::Tensor& rows) override;
    void addGradients(StepContext& context, const at::Tensor& gradients) override;
    void afterBackward(StepContext& context) override {
        at::Tensor& gradients = rest(context).gradients();
        if (context.comm().size() == 1 || gradients.numel() == 0) return;
        Pending mean = context.comm().allReduce(gradients, Reduce::Mean);
        context.executor().waitFor(mean, context.step(), bytesOf(gradients));
    }
    void update(StepContext& context, Optimizer& optimizer) override {
        optimizer.step(rest(context), context.learningRate());
        if (tables_ > 0) tableOptimizer_->step(*own_, context.learningRate());
    }
    void afterStep(StepContext& context) override {
        if (!tableContext_) return;
        tableContext_->moveTo(context.step(), context.learningRate());
        average_.afterStep(*tableContext_);
    }
    void drain(StepContext&) override {
        if (tableContext_) average_.drain(*tableContext_);
    }
    void save(StepContext&, Archive& archive) override;
    Status load(StepContext& context, const Archive& archive) override;
    [[nodiscard]] FlatParams steppedPart(StepContext& context) override { return rest(context); }
    [[nodiscard]] at::Tensor namedWeights(StepContext& context) override;
    [[nodiscard]] std::string whyUncoded() const override {
        return "sends rows of tables and their gradients, and no rule with coded ones is here: remove [compression]";
    }

private:
    // Where a rank stands: number `place` of the `size` ranks of group `group` of `groups`.
    struct Place {
        int size, groups, place, group;
        [[nodiscard]] std::vector<Rank> members() const {
            std::vector<Rank> all;
            for (int i = 0; i < size; ++i) all.emplace_back(group * size + i);
            return all;
        }
        [[nodiscard]] std::vector<Rank> peers() const {
            std::vector<Rank> all;
            for (int i = 0; i < groups; ++i) all.emplace_back(i * size + place);
            return all;
        }
    };
    [[nodiscard]] int sizeOfGroup(int ranks) const {
        return params_.group == 0 ? ranks : static_cast<int>(params_.group);
    }
    [[nodiscard]] Place placeIn(const Communicator& comm) const {
        const int size = sizeOfGroup(comm.size()), rank = comm.rank().value();
        return {.size = size, .groups = comm.size() / size, .place = rank % size, .group = rank / size};
    }
    // First element of a table, or, for tables_, of the other parameters.
    [[nodiscard]] static std::int64_t offsetOf(const FlatParams& params, std::int64_t table) {
        const auto slot = static_cast<std::size_t>(table);
        return slot < params.slots().size() ? params.slots()[slot].offset : params.size();
    }
    [[nodiscard]] static FlatParams partOf(FlatParams& whole, std::int64_t begin, std::int64_t end) {
        return FlatParams::partOf(whole, begin, whole.gradients().narrow(0, begin, end - begin));
    }
    // The elements of this rank's tables.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> ownElements(StepContext& context) const {
        const Place at = placeIn(context.comm());
        const std::int64_t each = tables_ / at.size;
        return {offsetOf(context.params(), at.place * each), offsetOf(context.params(), (at.place + 1) * each)};
    }
    // The parameters that are no tables.
    [[nodiscard]] FlatParams& rest(StepContext& context) {
        if (tables_ == 0) return context.params();
        if (!rest_) rest_ = partOf(context.params(), offsetOf(context.params(), tables_), context.params().size());
        return *rest_;
    }
    void connect(StepContext& context);
    // Row g of `leaving` goes to rank g of the group, row g of the result is what that one sent.
    [[nodiscard]] at::Tensor exchanged(StepContext& context, const at::Tensor& leaving, std::string_view name);

    const Sparse2dParams params_;
    std::int64_t tables_ = 0;               // E; 0: the model has none
    std::unique_ptr<Communicator> group_;   // where the group is some of the ranks and more than one
    std::unique_ptr<Communicator> peers_;   // likewise, of the ranks with the same tables
    std::optional<FlatParams> rest_, own_;  // own_: this rank's tables
    std::unique_ptr<Optimizer> tableOptimizer_;
    std::optional<StepContext> tableContext_;  // of the average of own_ among its peers; empty: there are none
    DelayedAverage average_;
    at::Tensor rows_;  // of the micro-batch under way: int64 [G, b, E/G, L], those that each rank's samples name
};

std::optional<FieldError> Sparse2d::check(const RunOutline& facts) const {
    const auto number = [](std::int64_t n) { return std::to_string(n); };
    if (facts.tables == 0) {
        return FieldError{"model.name", "sparse_2d divides embedding tables among ranks, and " + facts.model +
                                            " has none: set name = \"dlrm\" in [model], or choose another algorithm, "
                                            "as sync_sgd"};
    }
    const std::int64_t size = sizeOfGroup(facts.workers);
    if (size > facts.workers || facts.workers % size != 0) {
        return FieldError{"group", "group is " + number(size) + ", and workers is " + number(facts.workers) +
                                       ": each group has all tables; choose a number that divides workers, or 0 for "
                                       "one group of all"};
    }
    if (facts.tables % size != 0) {
        return FieldError{"group", "a group of " + number(size) + " ranks divides " + number(facts.tables) +
                                       " embedding tables, each as many as the others: choose a group, or a number of "
                                       "tables in [model], so that one divides the other"};
    }
    if (facts.onGpus) {
        return FieldError{"cluster.backend",
                          "sparse_2d looks up on the host yet: set backend = \"gloo\", \"threads\" or \"virtual\""};
    }
    if (facts.clips) {
        return FieldError{"train.gradient_clip",
                          "gradients are clipped by the norm of all of them, and with sparse_2d each rank has those of "
                          "some tables: remove it, or choose another algorithm, as sync_sgd"};
    }
    return std::nullopt;
}

void Sparse2d::connect(StepContext& context) {
    if (tables_ == 0) return;
    const Place at = placeIn(context.comm());
    const auto [begin, end] = ownElements(context);
    own_ = partOf(context.params(), begin, end);
    tableOptimizer_ = context.optimizer().copyOfPart(begin, end);
    if (at.groups > 1 && at.size > 1) {
        group_ = context.comm().split(at.members());
        peers_ = context.comm().split(at.peers());
    }
    if (at.groups == 1) return;
    const auto record = [&context](std::string_view name, double value) { context.record(name, value); };
    tableContext_.emplace(
        peers_ ? *peers_ : context.comm(), context.clock(), *own_, context.executor(), context.samples(),
        StepContext::Extras{.optimizer = tableOptimizer_.get(), .seed = context.seed(), .metric = record});
    tableContext_->moveTo(context.step(), context.learningRate());
}

at::Tensor Sparse2d::exchanged(StepContext& context, const at::Tensor& leaving, std::string_view name) {
    if (leaving.size(0) == 1) return leaving;
    at::Tensor arrived = at::empty_like(leaving);
    Pending exchange = (group_ ? *group_ : context.comm()).allToAll(leaving, arrived);
    context.executor().waitFor(exchange, context.step(), bytesOf(leaving), name);
    return arrived;
}

at::Tensor Sparse2d::lookUp(StepContext& context, const at::Tensor& rows) {
    const at::NoGradGuard guard;
    const Place at = placeIn(context.comm());
    const std::int64_t b = rows.size(0), each = tables_ / at.size, lookups = rows.size(2);
    const std::int64_t width = own_->slots().front().parameter.size(1);
    const at::TensorOptions options = own_->weights().options();

    at::Tensor asked = at::empty({at.size, b, each, lookups}, options);
    context.executor().run({SpanKind::Snapshot, bytesOf(asked)}, [&] {
        asked.copy_(rows.view({b, at.size, each, lookups}).transpose(0, 1));
    });
    asked = exchanged(context, asked, "row numbers");
    rows_ = at::empty(asked.sizes(), options.dtype(at::kLong));
    at::Tensor found = at::empty({at.size, b, each, width}, options);
    // Reads the rows, and writes their sums.
    context.executor().run({SpanKind::Snapshot, snapshotBytes(static_cast<double>(lookups + 1), bytesOf(found))}, [&] {
        rows_.copy_(asked);
        for (std::int64_t table = 0; table < each; ++table) {
            const at::Tensor& weights = own_->slots()[static_cast<std::size_t>(table)].parameter;
            const at::Tensor named = weights.index_select(0, rows_.select(2, table).flatten());
            found.select(2, table).copy_(named.view({at.size, b, lookups, width}).sum(2));
        }
    });
    found = exchanged(context, found, "lookups");
    at::Tensor pooled = at::empty({b, tables_, width}, options);
    context.executor().run({SpanKind::Merge, mergeBytes(kPassesOfCopy, bytesOf(pooled))}, [&] {
        pooled.view({b, at.size, each, width}).copy_(found.transpose(0, 1));
    });
    return pooled;
}

void Sparse2d::addGradients(StepContext& context, const at::Tensor& gradients) {
    const at::NoGradGuard guard;
    const std::int64_t size = rows_.size(0), b = rows_.size(1), each = rows_.size(2), lookups = rows_.size(3);
    const std::int64_t width = gradients.size(2);
    at::Tensor leaving = at::empty({size, b, each, width}, own_->weights().options());
    context.executor().run({SpanKind::Snapshot, bytesOf(leaving)}, [&] {
        leaving.copy_(gradients.reshape({b, size, each, width}).transpose(0, 1));
    });
    const at::Tensor arrived = exchanged(context, leaving, "gradients of lookups");
    // Reads them, and reads and writes the gradients of the rows.
    const auto passes = static_cast<double>(1 + 2 * lookups);
    context.executor().run({SpanKind::Merge, mergeBytes(passes, bytesOf(arrived))}, [&] {
        for (std::int64_t table = 0; table < each; ++table) {
            const FlatParams::Slot& slot = own_->slots()[static_cast<std::size_t>(table)];
            at::Tensor sum = own_->gradients().narrow(0, slot.offset, slot.numel).view(slot.parameter.sizes());
            const at::Tensor spread = arrived.select(2, table).unsqueeze(2).expand({size, b, lookups, width});
            sum.index_add_(0, rows_.select(2, table).flatten(), spread.reshape({-1, width}),
                           1.0 / static_cast<double>(size));
        }
    });
}

void Sparse2d::save(StepContext&, Archive& archive) {
    if (tables_ == 0) return;
    Archive optimizer, average;
    tableOptimizer_->save(optimizer);
    archive.putUnder("optimizer/", optimizer);
    if (!tableContext_) return;
    average_.save(*tableContext_, average);
    archive.putUnder("average/", average);
}

Status Sparse2d::load(StepContext& context, const Archive& archive) {
    connect(context);
    if (tables_ > 0) DASGD_TRY(tableOptimizer_->load(archive.under("optimizer/"), *own_));
    if (tableContext_) DASGD_TRY(average_.load(*tableContext_, archive.under("average/")));
    return {};
}

// The mean of each table over the groups; the rest is the same on all ranks.
at::Tensor Sparse2d::namedWeights(StepContext& context) {
    const at::NoGradGuard guard;
    if (context.comm().rank() == Rank{0} && tables_ == 0) return context.params().weights();
    if (tables_ == 0) return {};
    const at::Tensor& weights = context.params().weights();
    at::Tensor named = at::zeros_like(weights);
    const auto put = [&](std::int64_t begin, std::int64_t end) {
        return named.narrow(0, begin, end - begin).copy_(weights.narrow(0, begin, end - begin));
    };
    const auto [begin, end] = ownElements(context);
    put(begin, end).div_(placeIn(context.comm()).groups);
    if (context.comm().rank() == Rank{0}) put(offsetOf(context.params(), tables_), weights.numel());
    return named;
}

const AlgorithmRegistry::Add<Sparse2d, Sparse2dParams> kSparse2dEntry{
    "sparse_2d", "Embedding tables divided within groups of ranks and averaged among them", "arXiv 2508.03854",
    noFormula("the time of a step is its passes and three exchanges within a group between them: simulate it")};

}  // namespace
}  // namespace dasgd
