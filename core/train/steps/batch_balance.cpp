#include "core/train/steps/batch_balance.h"

#include <torch/types.h>

#include <algorithm>
#include <utility>

#include "core/experiment/uneven_batches.h"

namespace dasgd {

BatchBalance::BatchBalance(const Plan& plan, std::int64_t every)
    : plan_(plan), every_(every), rates_(static_cast<std::size_t>(plan.workers), 1.0) {}

std::vector<std::int64_t> BatchBalance::batchesOf(std::int64_t step) const {
    return batchesByRate(plan_.workers * plan_.batchOf(step), rates_);
}

std::int64_t BatchBalance::batchOf(Rank rank, std::int64_t step) const {
    return batchesOf(step)[static_cast<std::size_t>(rank.value())];
}

double BatchBalance::weightOf(Rank rank, std::int64_t step) const {
    return static_cast<double>(batchOf(rank, step)) / static_cast<double>(plan_.batchOf(step));
}

void BatchBalance::afterStep(StepContext& context, std::int64_t step) {
    if (step % every_ != 0) return;
    // A clock that did not advance tells no rate.
    const double own = computed_ > 0 ? static_cast<double>(samples_) / (static_cast<double>(computed_) * 1e-9) : 0;
    const at::Tensor mine = at::full({1}, own, at::kDouble);
    at::Tensor all = at::empty({plan_.workers, 1}, at::kDouble);
    Pending pending = context.comm().allGather(mine, all);
    context.executor().waitFor(pending, step, static_cast<std::int64_t>(mine.nbytes()));
    const auto* rates = all.const_data_ptr<double>();
    take({rates, rates + all.numel()});
}

void BatchBalance::take(const std::vector<double>& rates) {
    samples_ = 0;
    computed_ = 0;
    if (std::ranges::all_of(rates, [](double rate) { return rate > 0; })) rates_ = rates;
}

void BatchBalance::save(Archive& archive) const {
    archive.put("rates", at::tensor(rates_, at::kDouble));
    archive.put("samples", samples_);
    archive.put("computed_ns", computed_);
}

Status BatchBalance::load(const Archive& archive) {
    at::Tensor rates = at::empty({plan_.workers}, at::kDouble);
    DASGD_TRY(archive.read("rates", rates));
    const auto* values = rates.const_data_ptr<double>();
    rates_.assign(values, values + rates.numel());
    DASGD_ASSIGN(samples_, archive.integer("samples"));
    DASGD_ASSIGN(computed_, archive.integer("computed_ns"));
    return {};
}

}  // namespace dasgd
