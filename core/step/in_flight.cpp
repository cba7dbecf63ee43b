#include "core/step/in_flight.h"

#include <utility>

#include "core/base/check.h"
#include "core/base/metric_names.h"
#include "core/step/archive.h"
#include "core/step/step_context.h"

namespace dasgd {

std::uint64_t InFlight::collective(std::size_t part) const {
    if (part >= parts_.size()) return 0;
    return parts_[part].coded ? parts_[part].coded->collective() : parts_[part].collective;
}

void InFlight::begin(const StepContext& context, bool coded) {
    DASGD_CHECK(!any() && "one exchange in flight");
    state_ = coded ? State::Coded : State::Whole;
    launchedAt_ = context.step();
}

std::size_t InFlight::add(Pending transfer, std::int64_t bytes) {
    parts_.push_back({.pending = std::move(transfer), .bytes = bytes});
    return parts_.size() - 1;
}

std::size_t InFlight::add(CodedTransfer& coded) {
    parts_.push_back({.coded = &coded});
    return parts_.size() - 1;
}

void InFlight::launch(const StepContext& context, std::vector<Pending> transfers, std::int64_t bytes) {
    begin(context);
    for (Pending& transfer : transfers) add(std::move(transfer), bytes);
}

void InFlight::await(StepContext& context) {
    for (std::size_t part = 0; part < parts_.size(); ++part) await(context, part);
}

void InFlight::await(StepContext& context, std::size_t part) {
    if (part >= parts_.size()) return;
    Part& awaited = parts_[part];
    if (awaited.coded) return awaited.coded->arrive(context);
    if (!awaited.pending) return;
    awaited.collective = awaited.pending.collective();
    context.executor().waitFor(awaited.pending, launchedAt_, awaited.bytes);
}

void InFlight::end() {
    state_ = State::None;
    parts_.clear();
}

void InFlight::finish(StepContext& context) {
    for (const Part& part : parts_) {
        if (part.coded) part.coded->finish();
    }
    end();
    context.record(metrics::kStalenessSteps, static_cast<double>(context.step() - launchedAt_));
}

void InFlight::drop(StepContext& context) {
    if (!any()) return;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
        parts_[part].coded ? parts_[part].coded->drop(context) : await(context, part);
    }
    end();
}

void InFlight::save(StepContext& context, Archive& archive) {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
        if (!parts_[part].coded) await(context, part);
    }
    archive.put("in_flight", static_cast<std::int64_t>(state_));
    if (any()) archive.put("launched_at", launchedAt_);
}

Status InFlight::load(const Archive& archive) {
    DASGD_ASSIGN(const std::int64_t state, archive.integer("in_flight"));
    state_ = static_cast<State>(state);
    if (!any()) return {};
    DASGD_ASSIGN(launchedAt_, archive.integer("launched_at"));
    return {};
}

}  // namespace dasgd
