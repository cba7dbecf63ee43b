// Clicks that the laboratory makes, for a model with embedding tables (core/models/embedding_tables.h), in the shape
// that it takes: numbers x from N(0, 1), then the row numbers of each categorical feature. Categories are as uneven as
// those of real logs: row k is named with probability proportional to (k + 1)^−skew. A sample is a click with
// probability σ(z), z = v·x + Σ over the features of the mean score of the rows that it names; v from N(0, 1/dense)
// and scores from N(0, 1/features) times `strength`. So the least loss is known: the mean of the entropy of σ(z). The
// data are the same on every rank and in every run with the same fields and sizes.
#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include <cmath>

#include "core/datasets/dataset.h"

namespace dasgd {
namespace {

constexpr double kMostNumbers = 1e9;

struct ClicksParams {
    std::int64_t trainSamples = 8192;
    std::int64_t testSamples = 2048;
    double skew = 1;
    double strength = 2;
    std::int64_t seed = 1;
    void visit(auto&& f) {
        f(trainSamples, "train_samples", {.min = 1, .max = 1e9, .unit = "samples", .help = "Size of the training set"});
        f(testSamples, "test_samples", {.min = 1, .max = 1e9, .unit = "samples", .help = "Size of the test set"});
        f(skew, "skew",
          {.min = 0, .max = 10, .help = "Exponent of the categories' frequencies (k + 1)^-skew; 0: all alike"});
        f(strength, "strength",
          {.min = 0, .max = 1e3, .help = "Deviation of the part of a click's log-odds that the categories make"});
        f(seed, "seed", {.min = 0, .max = 9e15, .help = "Seed of the scores and of the samples"});
    }
};

class Clicks final : public Dataset {
public:
    explicit Clicks(const ClicksParams& params) : params_(params) {}

    Result<Splits> load(const InputSpec& natural) const override {
        const Categories& of = natural.categories;
        if (of.features == 0) {
            return fail(
                "clicks names rows of embedding tables, and the model has none: set name = \"dlrm\" in [model], or "
                "choose other data");
        }
        const double samples = static_cast<double>(params_.trainSamples) + static_cast<double>(params_.testSamples);
        if (samples * static_cast<double>(natural.shape[0]) > kMostNumbers ||
            static_cast<double>(of.features) * static_cast<double>(of.rows) > kMostNumbers) {
            return fail(
                "clicks would take more than 4 GB of memory; lower train_samples or test_samples, or the model's "
                "tables, rows or lookups");
        }
        at::Generator random = at::make_generator<at::CPUGeneratorImpl>(static_cast<std::uint64_t>(params_.seed));
        Truth truth{.categories = of, .dense = natural.shape[0] - of.features * of.lookups};
        truth.slopes = at::randn({truth.dense}, random).div_(std::sqrt(static_cast<double>(truth.dense)));
        truth.scores = at::randn({of.features, of.rows}, random)
                           .mul_(params_.strength / std::sqrt(static_cast<double>(of.features)));
        truth.frequencies = torch::arange(1, of.rows + 1, at::kDouble).pow(-params_.skew);
        Splits splits{.input = natural};
        splits.train = draw(truth, params_.trainSamples, random);
        splits.test = draw(truth, params_.testSamples, random);
        return splits;
    }

private:
    struct Truth {
        Categories categories;
        std::int64_t dense = 0;
        at::Tensor slopes, scores, frequencies;  // [dense], [features, rows], [rows]
    };

    static Samples draw(const Truth& truth, std::int64_t count, at::Generator& random) {
        const Categories& of = truth.categories;
        Samples samples;
        samples.inputs = at::empty({count, truth.dense + of.features * of.lookups});
        at::Tensor dense = samples.inputs.narrow(1, 0, truth.dense);
        dense.copy_(at::randn({count, truth.dense}, random));
        at::Tensor logOdds = dense.mv(truth.slopes);
        for (std::int64_t feature = 0; feature < of.features; ++feature) {
            const at::Tensor rows =
                at::multinomial(truth.frequencies, count * of.lookups, true, random).view({count, of.lookups});
            samples.inputs.narrow(1, truth.dense + feature * of.lookups, of.lookups).copy_(rows);
            logOdds += truth.scores[feature].index_select(0, rows.flatten()).view_as(rows).mean(1);
        }
        samples.targets = at::rand({count}, random).lt(logOdds.sigmoid()).to(at::kLong);
        return samples;
    }

    ClicksParams params_;
};

const DatasetRegistry::Add<Clicks, ClicksParams> kClicksEntry{
    "clicks", "Random clicks with something to learn, for a model with embedding tables"};

}  // namespace
}  // namespace dasgd
