#include "experiments/tools/calibrate/computed_steps.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/analysis/spans/intervals.h"

namespace dasgd::experiments {

namespace {

using storage::SpanRow;

double seconds(Ns ns) { return static_cast<double>(ns) * 1e-9; }

bool beginsStep(SpanKind kind) { return kind == SpanKind::Data || kind == SpanKind::Forward; }
// An operator that LibTorch's profiler saw: the step took longer for it.
bool isProfiled(const Span& span) { return span.kind == SpanKind::Compute; }
bool isLocal(SpanKind kind) { return beginsStep(kind) || kind == SpanKind::Backward || kind == SpanKind::Update; }

// Steps of one rank, in the order of their starts.
class RankSteps {
public:
    explicit RankSteps(Intervals reductions) : reductions_(std::move(reductions)) {}

    void take(const SpanRow& row) {
        const Span& span = row.span;
        if (beginsStep(span.kind) && (!current_ || span.step != current_->step)) begin(row);
        if (!current_) return;
        if (isLocal(span.kind)) {
            current_->overlapped += seconds(reducing({span.start, span.end}));
            if (span.kind == SpanKind::Backward) current_->backward += seconds(span.end - span.start);
        } else if (span.kind == SpanKind::Eval || span.kind == SpanKind::Checkpoint || isProfiled(span)) {
            whole_ = false;
        } else if (span.lane == Lane::Compute) {
            away_ += span.end - span.start;
        }
    }
    [[nodiscard]] std::vector<ComputedStep> steps() && { return std::move(steps_); }

private:
    void begin(const SpanRow& row) {
        if (current_ && whole_) {
            current_->seconds = seconds(row.span.start - began_ - away_);
            steps_.push_back(*current_);
        }
        current_ = ComputedStep{.rank = row.rank, .step = row.span.step};
        began_ = row.span.start;
        away_ = 0;
        whole_ = true;
    }

    // How much of `range` a reduction covers. Ranges come in ascending order.
    Ns reducing(TimeRange range) {
        while (first_ < reductions_.size() && reductions_[first_].end <= range.start) ++first_;
        Ns covered = 0;
        for (std::size_t i = first_; i < reductions_.size() && reductions_[i].start < range.end; ++i) {
            covered += std::min(range.end, reductions_[i].end) - std::max(range.start, reductions_[i].start);
        }
        return covered;
    }

    Intervals reductions_;
    std::size_t first_ = 0;
    std::optional<ComputedStep> current_;
    Ns began_ = 0;
    Ns away_ = 0;  // waits, snapshots and merges of the step
    bool whole_ = true;
    std::vector<ComputedStep> steps_;
};

Intervals transfersOf(std::span<const SpanRow> ofRank) {
    Intervals transfers;
    for (const auto& [rank, span] : ofRank) {
        // Runs that were recorded before collectives were divided have reduces only.
        const bool moves = span.kind == SpanKind::Transfer || span.kind == SpanKind::Reduce;
        if (moves) transfers.push_back({span.start, span.end});
    }
    return unionOf(std::move(transfers));
}

}  // namespace

std::vector<ComputedStep> computedSteps(std::vector<SpanRow> spans) {
    std::ranges::sort(spans, {}, [](const SpanRow& row) { return std::pair(row.rank, row.span.start); });
    std::vector<ComputedStep> all;
    for (auto first = spans.begin(); first != spans.end();) {
        const auto last = std::find_if(first, spans.end(), [&](const SpanRow& row) { return row.rank != first->rank; });
        RankSteps rank(transfersOf({first, last}));
        std::for_each(first, last, [&](const SpanRow& row) { rank.take(row); });
        for (ComputedStep& step : std::move(rank).steps()) all.push_back(step);
        first = last;
    }
    return all;
}

}  // namespace dasgd::experiments
