// Files in LIBSVM's format. Rows stay sparse until a batch is made of them. Targets are classes for a model that
// classifies: the different targets of the training set in ascending order; for one that estimates values they are
// these. Indices count from 0 where an index 0 occurs in the training or the test file, else from 1, as scikit-learn's
// zero_based="auto".
#include <torch/types.h>

#include <algorithm>

#include "core/datasets/dataset.h"
#include "core/datasets/formats/byte_source.h"
#include "core/datasets/formats/file_mapping.h"
#include "core/datasets/formats/libsvm_lines.h"
#include "core/datasets/held_out.h"

namespace dasgd {
namespace {

constexpr std::size_t kMaxLibsvmBytes = std::size_t{1} << 36;
// Largest index that is accepted without being asked for. A sample is as wide as the largest index, so one mistyped
// digit could make a batch take all memory.
constexpr std::int64_t kMaxUnaskedIndex = std::int64_t{1} << 24;

struct LibsvmParams {
    std::string path;
    std::string testPath;
    double testFraction = 0.1;
    std::int64_t features = 0;
    std::string onDamage = "refuse";
    void visit(auto&& f) {
        f(path, "path", {.help = "A file of lines `target index:value …`, indices from 1 or from 0, plain or .gz"});
        f(testPath, "test_path", {.help = "The same for the test set; empty: lines drawn from path"});
        f(testFraction, "test_fraction",
          {.min = 0,
           .max = 1,
           .minOpen = true,
           .maxOpen = true,
           .help =
               "Where there is no test_path: how much of path is drawn for the test set, of each class its share and "
               "whatever train.seed is"});
        f(features, "features",
          {.min = 0, .max = 2e9, .help = "Width of a sample; 0: the largest index that occurs, up to 16777216"});
        f(onDamage, "on_damage",
          {.help =
               "A damaged line is refused before the run, or left out, named and counted (data/skipped); one with a "
               "larger index than features allows is refused in any case",
           .choices = {"refuse", "skip"}});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (!path.empty()) return std::nullopt;
        return FieldError{"path", "libsvm needs a path: a file of lines target index:value …"};
    }
};

// Makes dense vectors of the rows `samples` (int64).
class SparseReader final : public SampleReader {
public:
    // `first`: the index of the first column.
    SparseReader(std::shared_ptr<const SparseRows> rows, at::Tensor samples, std::int64_t width, int first)
        : rows_(std::move(rows)), samples_(std::move(samples)), width_(width), first_(first) {}
    Inputs read(const at::Tensor& indices, std::uint64_t) const override {
        const at::Tensor wanted = samples_.index_select(0, indices);
        const auto* index = wanted.const_data_ptr<std::int64_t>();
        at::Tensor dense = torch::zeros({wanted.numel(), width_}, torch::kFloat);
        auto* row = dense.mutable_data_ptr<float>();
        for (std::int64_t i = 0; i < wanted.numel(); ++i, row += width_) {
            const auto sample = static_cast<std::size_t>(index[i]);
            for (std::size_t e = rows_->starts[sample]; e < rows_->starts[sample + 1]; ++e) {
                row[rows_->columns[e] - first_] = rows_->values[e];
            }
        }
        return {dense, indices};
    }
    bool isSlow() const override { return false; }
    std::int64_t skipped() const override { return 0; }
    std::shared_ptr<const SampleReader> selected(const at::Tensor& indices, SampleUse) const override {
        return std::make_shared<SparseReader>(rows_, samples_.index_select(0, indices), width_, first_);
    }

private:
    const std::shared_ptr<const SparseRows> rows_;
    const at::Tensor samples_;
    const std::int64_t width_;
    const int first_;
};

std::vector<double> targetsOf(const SparseRows& rows, const at::Tensor& samples) {
    std::vector<double> targets;
    const auto* sample = samples.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < samples.numel(); ++i) {
        targets.push_back(rows.targets[static_cast<std::size_t>(sample[i])]);
    }
    return targets;
}

class Libsvm final : public Dataset {
public:
    explicit Libsvm(const LibsvmParams& params) : params_(params) {}

    Result<Splits> load(const InputSpec& natural) const override {
        DASGD_ASSIGN(const auto train, readRows(params_.path));
        auto test = train;
        HeldOut sets;
        if (params_.testPath.empty()) {
            sets = drawHeldOut(
                std::ssize(train->targets), params_.testFraction,
                natural.task == Task::kClassification ? torch::tensor(train->targets, torch::kDouble) : at::Tensor());
        } else {
            DASGD_ASSIGN(test, readRows(params_.testPath));
            sets = {torch::arange(std::ssize(train->targets), torch::kInt64),
                    torch::arange(std::ssize(test->targets), torch::kInt64)};
        }
        const int first = train->fromZero || test->fromZero ? 0 : 1;
        const std::int64_t largest = std::max(train->largestIndex, test->largestIndex), widest = largest + 1 - first;
        if (params_.features > 0 && params_.features < widest) {
            return fail((test->largestIndex > train->largestIndex ? test : train)->widest + ": index " +
                        std::to_string(largest) + (first == 0 ? " occurs, counted from 0, " : " occurs, ") +
                        "and data.features is " + std::to_string(params_.features) + "; set features = " +
                        std::to_string(widest) + (largest > kMaxUnaskedIndex ? " if that is meant" : " or 0"));
        }
        const std::int64_t width = std::max<std::int64_t>(1, std::max(widest, params_.features));
        Splits splits{.input = {.shape = {width}, .classes = 1, .task = natural.task}};
        splits.train.reader = std::make_shared<SparseReader>(train, sets.train, width, first);
        splits.test.reader = std::make_shared<SparseReader>(test, sets.test, width, first);
        const std::vector<double> targets = targetsOf(*train, sets.train), tests = targetsOf(*test, sets.test);
        DASGD_TRY(setTargets(splits, targets, tests));
        if (params_.onDamage == "skip") {
            splits.skipped = train->skipped + (test == train ? 0 : test->skipped);
            splits.firstSkipped = train->skipped > 0 ? train->firstSkipped : test->firstSkipped;
        }
        return splits;
    }

private:
    [[nodiscard]] Result<std::shared_ptr<const SparseRows>> readRows(const std::string& path) const {
        DASGD_ASSIGN(const auto mapping, FileMapping::open(path));
        const auto text = readWhole(*openSource(mapping->bytes()), kMaxLibsvmBytes);
        if (!text) return fail(path + ": " + text.error().message);
        DASGD_ASSIGN(SparseRows rows, parseLibsvm(*text, path, params_.onDamage == "skip",
                                                  params_.features > 0 ? kMaxLibsvmFeatures : kMaxUnaskedIndex));
        return std::make_shared<const SparseRows>(std::move(rows));
    }

    Status setTargets(Splits& splits, const std::vector<double>& train, const std::vector<double>& test) const {
        if (splits.input.task == Task::kLanguage) return fail("libsvm has no text; choose other data or another model");
        if (splits.input.task == Task::kRegression) {
            splits.train.targets = torch::tensor(train, torch::kDouble).unsqueeze(1);
            splits.test.targets = torch::tensor(test, torch::kDouble).unsqueeze(1);
            return {};
        }
        std::vector<double> classes = train;
        std::ranges::sort(classes);
        classes.erase(std::ranges::unique(classes).begin(), classes.end());
        if (classes.size() < 2) {
            return fail(params_.path + ": all of its targets are " + std::to_string(train[0]) +
                        ", and classification needs at least 2 different ones");
        }
        splits.input.classes = std::ssize(classes);
        DASGD_ASSIGN(splits.train.targets, classesOf(train, classes));
        DASGD_ASSIGN(splits.test.targets, classesOf(test, classes));
        return {};
    }

    [[nodiscard]] Result<at::Tensor> classesOf(const std::vector<double>& targets,
                                               const std::vector<double>& classes) const {
        std::vector<std::int64_t> numbers;
        for (const double target : targets) {
            const auto place = std::ranges::lower_bound(classes, target);
            if (place == classes.end() || *place != target) {
                return fail((params_.testPath.empty() ? params_.path : params_.testPath) +
                            ": the test set has target " + std::to_string(target) +
                            ", which the training set does not have. Is it of another task?");
            }
            numbers.push_back(place - classes.begin());
        }
        return torch::tensor(numbers, torch::kInt64);
    }

    LibsvmParams params_;
};

const DatasetRegistry::Add<Libsvm, LibsvmParams> kAddLibsvm{"libsvm", "Sparse samples in LIBSVM's format",
                                                            "Chang, Lin 2011"};

}  // namespace
}  // namespace dasgd
