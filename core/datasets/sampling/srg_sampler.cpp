#include "core/datasets/sampling/srg_sampler.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"
#include "core/datasets/sampling/ordered_weights.h"
#include "core/datasets/sampling/sum_tree.h"

namespace dasgd {

namespace {

// SplitMix64 (Steele, Lea, Flood 2014).
class Uniform {
public:
    explicit Uniform(std::uint64_t seed) : state_(seed) {}
    // In [0, 1), 53 bits.
    double next() {
        const std::uint64_t bits = mixBits(state_);
        state_ += 0x9e3779b97f4a7c15ULL;
        return static_cast<double>(bits >> 11) * 0x1p-53;
    }

private:
    std::uint64_t state_;
};

class Mixture final : public SrgForm {
public:
    Mixture(const std::vector<double>& norms, double floor) : norms_(norms), floor_(floor) {}
    Draw draw(double first, double second) const override {
        const double total = norms_.total();
        if (first >= floor_ && total > 0) return {norms_.find(second * total), false};
        const auto place = static_cast<std::size_t>(second * static_cast<double>(norms_.size()));
        return {std::min(place, norms_.size() - 1), first < floor_};
    }
    double probability(std::size_t sample) const override {
        const double uniform = 1 / static_cast<double>(norms_.size()), total = norms_.total();
        return total > 0 ? floor_ * uniform + (1 - floor_) * norms_[sample] / total : uniform;
    }
    double norm(std::size_t sample) const override { return norms_[sample]; }
    void setNorm(std::size_t sample, double norm) override { norms_.set(sample, norm); }

private:
    SumTree norms_;
    double floor_;
};

class Threshold final : public SrgForm {
public:
    Threshold(const std::vector<double>& norms, double floor)
        : norms_(norms, floor), least_(floor / static_cast<double>(norms.size())) {}
    Draw draw(double first, double second) const override {
        const std::size_t sample = norms_.find(first);
        return {sample, second * norms_.probability(sample) < least_};
    }
    double probability(std::size_t sample) const override { return norms_.probability(sample); }
    double norm(std::size_t sample) const override { return norms_[sample]; }
    void setNorm(std::size_t sample, double norm) override { norms_.set(sample, norm); }

private:
    OrderedWeights norms_;
    double least_;
};

}  // namespace

std::unique_ptr<SrgForm> makeSrgForm(const std::string& form, const std::vector<double>& norms, double floor) {
    if (form == "threshold") return std::make_unique<Threshold>(norms, floor);
    return std::make_unique<Mixture>(norms, floor);
}

SrgSampler::SrgSampler(std::vector<std::int64_t> shard, std::string form, double floor)
    : shard_(std::move(shard)),
      name_(std::move(form)),
      floor_(floor),
      form_(makeSrgForm(name_, std::vector<double>(shard_.size(), 1.0), floor_)) {
    DASGD_CHECK(!shard_.empty());
}

SrgSampler::Drawn SrgSampler::draw(std::int64_t count, std::uint64_t seed) {
    DASGD_CHECK(learned_ == drawn_.size() && "all norms of the batch before have come");
    drawn_.clear();
    learned_ = 0;
    Drawn drawn{at::empty({count}, at::kLong), at::empty({count}, at::kDouble)};
    auto* indices = drawn.indices.mutable_data_ptr<std::int64_t>();
    auto* weights = drawn.weights.mutable_data_ptr<double>();
    Uniform uniform(seed);
    for (std::int64_t i = 0; i < count; ++i) {
        const double first = uniform.next();
        drawn_.push_back(form_->draw(first, uniform.next()));
        const std::size_t sample = drawn_.back().sample;
        indices[i] = shard_[sample];
        weights[i] = 1 / (static_cast<double>(shard_.size()) * form_->probability(sample));
    }
    return drawn;
}

void SrgSampler::learn(const at::Tensor& norms) {
    const at::Tensor values = norms.to(at::kDouble).contiguous();
    const auto* value = values.const_data_ptr<double>();
    DASGD_CHECK(learned_ + static_cast<std::size_t>(values.numel()) <= drawn_.size());
    for (std::int64_t i = 0; i < values.numel(); ++i) {
        const SrgForm::Draw& drawn = drawn_[learned_++];
        // Weights that are no numbers any more end the run; until then the tree keeps numbers.
        if (drawn.renews && std::isfinite(value[i])) form_->setNorm(drawn.sample, value[i]);
    }
}

at::Tensor SrgSampler::norms() const {
    at::Tensor norms = at::empty({static_cast<std::int64_t>(shard_.size())}, at::kDouble);
    for (std::size_t i = 0; i < shard_.size(); ++i) norms.mutable_data_ptr<double>()[i] = form_->norm(i);
    return norms;
}

void SrgSampler::setNorms(const at::Tensor& norms) {
    DASGD_CHECK(norms.numel() == static_cast<std::int64_t>(shard_.size()));
    const auto* values = norms.const_data_ptr<double>();
    form_ = makeSrgForm(name_, {values, values + norms.numel()}, floor_);
}

}  // namespace dasgd
