#include "core/algorithms/slow/pseudo_gradient_penalty.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/cost/memory/memory_passes.h"

namespace dasgd {

namespace {

constexpr double kRate = 0.02;
constexpr double kRaised = 1e6;  // added to the norm of an outlier, which travels as a negative number

at::Tensor inRange(const at::Tensor& whole, const Fragment& range) {
    return whole.narrow(0, range.begin, range.size());
}

}  // namespace

double NormScreen::scoreOf(double norm) const {
    const double deviation = count_ < 2 ? 0 : std::sqrt(variance_);
    return deviation == 0 || count_ < warmup_ ? 0 : (norm - mean_) / deviation;
}

bool NormScreen::standsOut(double norm) const {
    if (count_ < warmup_) return false;
    const auto n = static_cast<double>(scores_.size());
    const double mean = std::accumulate(scores_.begin(), scores_.end(), 0.0) / n;
    double squares = 0;
    for (const double score : scores_) squares += (score - mean) * (score - mean);
    return scoreOf(norm) > threshold_ * std::max(1.0, std::sqrt(squares / (n - 1)));
}

void NormScreen::add(double norm) {
    ++count_;
    const double before = norm - mean_;
    mean_ += kRate * before;
    variance_ = (1 - kRate) * (variance_ + kRate * before * (norm - mean_));
    scores_.push_back(scoreOf(norm));
    if (std::ssize(scores_) > warmup_) scores_.pop_front();
}

std::vector<double> NormScreen::state() const {
    std::vector<double> numbers{mean_, variance_, static_cast<double>(count_), static_cast<double>(scores_.size())};
    numbers.insert(numbers.end(), scores_.begin(), scores_.end());
    numbers.resize(static_cast<std::size_t>(stateLength(warmup_)));
    return numbers;
}

void NormScreen::setState(const double* numbers) {
    mean_ = numbers[0];
    variance_ = numbers[1];
    count_ = static_cast<std::int64_t>(numbers[2]);
    scores_.assign(numbers + 4, numbers + 4 + static_cast<std::ptrdiff_t>(numbers[3]));
}

void PseudoGradientPenalty::start(StepContext& context) {
    const auto& slots = context.params().slots();
    for (std::size_t i = 0; i < slots.size(); ++i) {
        ranges_.push_back({slots[i].offset, i + 1 < slots.size() ? slots[i + 1].offset : context.params().size()});
        screens_.emplace_back(params_.warmup, params_.threshold);
    }
    shares_.assign(slots.size(), 0);
    moves_.assign(slots.size(), true);
    const auto options = context.params().weights().options().dtype(at::kDouble).requires_grad(false);
    own_ = at::zeros({std::ssize(ranges_)}, options);
    all_ = at::zeros({context.comm().size() * std::ssize(ranges_)}, options);
}

void PseudoGradientPenalty::meet(StepContext& context, const at::Tensor& outer) {
    const at::NoGradGuard guard;
    const at::Tensor& weights = context.params().weights();
    // θ and w are read.
    context.executor().run({SpanKind::Snapshot, snapshotBytes(2, context.params().bytes())},
                           [&] { measure(outer, weights); });
    Pending norms = context.comm().allGather(own_, all_);
    context.executor().waitFor(norms, context.step(), static_cast<std::int64_t>(own_.nbytes()));
    context.executor().run({SpanKind::Snapshot}, [&] { share(context.comm().rank().value(), context.comm().size()); });
}

void PseudoGradientPenalty::measure(const at::Tensor& outer, const at::Tensor& weights) {
    std::vector<at::Tensor> norms;
    for (const Fragment& range : ranges_) {
        norms.push_back(at::linalg_vector_norm(at::sub(inRange(outer, range), inRange(weights, range)), 2));
    }
    const at::Tensor host = at::stack(norms).to(at::kDouble).cpu();
    auto* const numbers = host.mutable_data_ptr<double>();
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
        shares_[i] = screens_[i].standsOut(numbers[i]) ? 0 : 1;
        if (shares_[i] == 0) {
            numbers[i] = -(numbers[i] + kRaised);
        } else {
            screens_[i].add(numbers[i]);
        }
    }
    own_.copy_(host);
}

void PseudoGradientPenalty::share(int rank, int ranks) {
    const at::Tensor host = all_.cpu();
    const auto* const numbers = host.const_data_ptr<double>();
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
        const auto numberOf = [&](int of) { return numbers[static_cast<std::size_t>(of) * ranges_.size() + i]; };
        double least = std::abs(numberOf(0));
        moves_[i] = false;
        for (int other = 0; other < ranks; ++other) {
            least = std::min(least, std::abs(numberOf(other)));
            moves_[i] = moves_[i] || numberOf(other) >= 0;
        }
        double sum = 0;
        const auto raised = [&](int of) { return std::exp((least - std::abs(numberOf(of))) / params_.temperature); };
        for (int other = 0; other < ranks; ++other) sum += raised(other);
        shares_[i] *= raised(rank) / sum;
    }
}

void PseudoGradientPenalty::weigh(const at::Tensor& outer, const at::Tensor& weights, at::Tensor out) const {
    at::sub_out(out, outer, weights);
    for (std::size_t i = 0; i < ranges_.size(); ++i) inRange(out, ranges_[i]).mul_(shares_[i]);
}

void PseudoGradientPenalty::clip(at::Tensor delta) const {
    if (params_.clip == 0) return;
    delta.mul_((params_.clip / (delta.norm() + 1e-6)).clamp_max_(1.0));
}

void PseudoGradientPenalty::save(Archive& archive) const {
    std::vector<at::Tensor> states;
    for (const NormScreen& screen : screens_) states.push_back(torch::tensor(screen.state(), at::kDouble));
    archive.put("penalty", at::stack(states));
}

Status PseudoGradientPenalty::load(const Archive& archive) {
    at::Tensor states = at::zeros({std::ssize(screens_), NormScreen::stateLength(params_.warmup)}, at::kDouble);
    DASGD_TRY(archive.read("penalty", states));
    for (std::size_t i = 0; i < screens_.size(); ++i) {
        screens_[i].setState(states[static_cast<std::int64_t>(i)].const_data_ptr<double>());
    }
    return {};
}

}  // namespace dasgd
