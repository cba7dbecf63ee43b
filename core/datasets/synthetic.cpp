// Learnable data of any shape, for each kind of task:
// classes: every class has a prototype of white noise, and a sample is its class's prototype plus noise;
// values: a linear map of white noise, W x with W of deviation 1/√elements, plus noise;
// text: a chain in which every token has one successor, or, with probability noise / (1 + noise), any.
// The data are the same on every rank and in every run with the same fields.
#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "core/datasets/augment.h"
#include "core/datasets/dataset.h"

namespace dasgd {
namespace {

constexpr double kMaxElements = 1e10;

struct SyntheticParams {
    std::vector<std::int64_t> shape;
    std::int64_t classes = 0;
    std::int64_t trainSamples = 4096;
    std::int64_t testSamples = 1024;
    double noise = 1;
    std::int64_t seed = 1;

    void visit(auto&& f) {
        f(shape, "shape",
          {.min = 1,
           .max = 65536,
           .help = "Shape of one sample, channels first, or the length of a text; empty: the model's own"});
        f(classes, "classes",
          {.min = 0, .max = 1e6, .help = "Number of classes, values or tokens; 0: what the model takes"});
        f(trainSamples, "train_samples", {.min = 1, .max = 1e9, .unit = "samples", .help = "Size of the training set"});
        f(testSamples, "test_samples", {.min = 1, .max = 1e9, .unit = "samples", .help = "Size of the test set"});
        f(noise, "noise",
          {.min = 0,
           .max = 1e6,
           .help = "Deviation of the noise on each sample, or on each value, where that without noise is 1; of text: "
                   "odds of any token against the successor"});
        f(seed, "seed", {.min = 0, .max = 9e15, .help = "Seed of prototypes, map or chain, and of the noise"});
    }
};

class Synthetic final : public Dataset {
public:
    explicit Synthetic(const SyntheticParams& params) : params_(params) {}

    Result<Splits> load(const InputSpec& natural) const override {
        Splits splits{.input = natural};
        if (!params_.shape.empty()) splits.input.shape = params_.shape;
        if (params_.classes > 0) splits.input.classes = params_.classes;
        const auto samples = static_cast<double>(params_.trainSamples + params_.testSamples);
        const auto classes = static_cast<double>(splits.input.classes);
        // Each class or value has a prototype as large as a sample; a token has none.
        double elements = natural.task == Task::kLanguage ? samples : samples + classes;
        for (const std::int64_t extent : splits.input.shape) elements *= static_cast<double>(extent);
        if (natural.task == Task::kRegression) elements += samples * classes;
        if (elements > kMaxElements) {
            return fail(
                "synthetic data would take more than 40 GB of memory; lower train_samples, test_samples, "
                "classes or shape");
        }
        if (natural.task == Task::kLanguage) return text(std::move(splits));
        at::Generator random = at::make_generator<at::CPUGeneratorImpl>(static_cast<std::uint64_t>(params_.seed));
        std::vector<std::int64_t> sizes{splits.input.classes};
        sizes.insert(sizes.end(), splits.input.shape.begin(), splits.input.shape.end());
        const at::Tensor prototypes = at::randn(sizes, random);
        const bool values = natural.task == Task::kRegression;
        const auto set = [&](std::int64_t count) {
            return values ? drawValues(prototypes, count, random) : draw(prototypes, count, random);
        };
        splits.train = set(params_.trainSamples);
        splits.test = set(params_.testSamples);
        return splits;
    }
    bool isContinuous(const InputSpec& natural) const override { return natural.task == Task::kLanguage; }

private:
    Samples drawValues(const at::Tensor& map, std::int64_t count, at::Generator& random) const {
        std::vector<std::int64_t> sizes = map.sizes().vec();
        sizes[0] = count;
        Samples samples;
        samples.inputs = at::randn(sizes, random);
        samples.targets = samples.inputs.flatten(1).mm(map.flatten(1).t());
        samples.targets.div_(std::sqrt(static_cast<double>(map[0].numel())));
        samples.targets.add_(at::randn(samples.targets.sizes(), random), params_.noise);
        return samples;
    }

    Result<Splits> text(Splits splits) const {
        if (splits.input.shape.size() != 1) {
            return fail("synthetic text takes one extent, the length of a sample, as shape = [64]");
        }
        std::mt19937_64 random(static_cast<std::uint64_t>(params_.seed));
        std::vector<std::int64_t> successors(static_cast<std::size_t>(splits.input.classes));
        std::iota(successors.begin(), successors.end(), 0);
        for (std::size_t i = successors.size(); i > 1; --i) std::swap(successors[i - 1], successors[random() % i]);
        splits.train = drawText(successors, params_.trainSamples, splits.input.shape[0], random);
        splits.test = drawText(successors, params_.testSamples, splits.input.shape[0], random);
        return splits;
    }

    Samples drawText(const std::vector<std::int64_t>& successors, std::int64_t count, std::int64_t length,
                     std::mt19937_64& random) const {
        const auto tokens = static_cast<std::int64_t>(successors.size());
        const double any = params_.noise / (1 + params_.noise);
        at::Tensor stream = at::empty({count * length + 1}, at::kInt);
        auto* place = stream.mutable_data_ptr<std::int32_t>();
        std::int64_t token = drawBelow(random, tokens);
        for (std::int64_t i = 0; i < stream.numel(); ++i) {
            place[i] = static_cast<std::int32_t>(token);
            token = drawUnit(random) < any ? drawBelow(random, tokens) : successors[static_cast<std::size_t>(token)];
        }
        return cutText(stream, length);
    }

    Samples draw(const at::Tensor& prototypes, std::int64_t count, at::Generator& random) const {
        Samples samples;
        samples.targets = at::arange(count, at::kLong).remainder(prototypes.size(0));
        samples.inputs = prototypes.index_select(0, samples.targets);
        samples.inputs.add_(at::randn(samples.inputs.sizes(), random), params_.noise);
        return samples;
    }

    SyntheticParams params_;
};

const DatasetRegistry::Add<Synthetic, SyntheticParams> kSyntheticEntry{
    "synthetic", "Random data with something to learn, of the kind that the model takes"};

}  // namespace
}  // namespace dasgd
