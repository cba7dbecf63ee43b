// Images of any shape that can be learnt: every class has a prototype of white noise, a sample is its class's prototype
// plus noise. The same on every rank and in every run with the same fields.
#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include <limits>

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
          {.min = 1, .max = 65536, .help = "Of one sample, channels first; empty: what the model takes"});
        f(classes, "classes", {.min = 0, .max = 1e6, .help = "Number of classes; 0: what the model takes"});
        f(trainSamples, "train_samples", {.min = 1, .max = 1e9, .unit = "samples", .help = "Size of the training set"});
        f(testSamples, "test_samples", {.min = 1, .max = 1e9, .unit = "samples", .help = "Size of the test set"});
        f(noise, "noise", {.min = 0, .max = 1e6, .help = "Noise on each sample; the prototypes have deviation 1"});
        f(seed, "seed", {.min = 0, .max = 9e15, .help = "Of prototypes and noise"});
    }
};

class Synthetic final : public Dataset {
public:
    explicit Synthetic(const SyntheticParams& params) : params_(params) {}

    Result<Splits> load(const InputSpec& natural) const override {
        Splits splits{.input = natural};
        if (!params_.shape.empty()) splits.input.shape = params_.shape;
        if (params_.classes > 0) splits.input.classes = params_.classes;
        double elements = static_cast<double>(params_.trainSamples + params_.testSamples);
        for (const std::int64_t extent : splits.input.shape) elements *= static_cast<double>(extent);
        if (elements > kMaxElements) {
            return fail(
                "synthetic data would take more than 40 GB of memory; lower train_samples, test_samples or "
                "shape");
        }
        at::Generator random = at::make_generator<at::CPUGeneratorImpl>(static_cast<std::uint64_t>(params_.seed));
        std::vector<std::int64_t> sizes{splits.input.classes};
        sizes.insert(sizes.end(), splits.input.shape.begin(), splits.input.shape.end());
        const at::Tensor prototypes = at::randn(sizes, random);
        splits.train = draw(prototypes, params_.trainSamples, random);
        splits.test = draw(prototypes, params_.testSamples, random);
        return splits;
    }

private:
    Samples draw(const at::Tensor& prototypes, std::int64_t count, at::Generator& random) const {
        Samples samples;
        samples.targets = at::arange(count, at::kLong).remainder(prototypes.size(0));
        samples.inputs = prototypes.index_select(0, samples.targets);
        samples.inputs.add_(at::randn(samples.inputs.sizes(), random), params_.noise);
        return samples;
    }

    SyntheticParams params_;
};

const DatasetRegistry::Add<Synthetic, SyntheticParams> kSyntheticEntry{"synthetic",
                                                                       "Noisy copies of one random image a class"};

}  // namespace
}  // namespace dasgd
