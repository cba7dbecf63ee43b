// Inputs and targets from a safetensors file, which is mapped and not copied where its tensors lie aligned. Inputs of
// U8 are pixels, x / 255; for a language model both are integers [N, T], or the inputs alone are a stream of tokens
// [M].
#include <ATen/ops/from_blob.h>
#include <torch/types.h>

#include <algorithm>
#include <map>

#include "core/base/text/printable.h"
#include "core/datasets/dataset.h"
#include "core/datasets/formats/file_mapping.h"
#include "core/datasets/formats/safetensors_file.h"
#include "core/datasets/held_out.h"
#include "core/datasets/number_range.h"
#include "core/datasets/stored_types.h"

namespace dasgd {
namespace {

struct SafetensorsParams {
    std::string path;
    std::string testPath;
    double testFraction = 0.1;
    std::string inputs = "inputs";
    std::string targets = "targets";
    void visit(auto&& f) {
        f(path, "path", {.help = "A safetensors file with the training set"});
        f(testPath, "test_path", {.help = "One with the test set; empty: samples drawn from path, of a text its end"});
        f(testFraction, "test_fraction",
          {.min = 0,
           .max = 1,
           .minOpen = true,
           .maxOpen = true,
           .help = "Where there is no test_path: how much of path is for the test set: drawn, of each class its share "
                   "and whatever train.seed is; of a text the end"});
        f(inputs, "inputs", {.help = "Name of the tensor [N, …shape of a sample]"});
        f(targets, "targets",
          {.help = "Name of the tensor of classes, integers [N]; of values, floating [N] or [N, values]; of a text, "
                   "integers [N, T]"});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (!path.empty()) return std::nullopt;
        return FieldError{"path", "safetensors needs a path: a file with inputs and targets"};
    }
};

class TensorFile {
public:
    static Result<TensorFile> open(const std::string& path) {
        TensorFile file(path);
        DASGD_ASSIGN(file.mapping_, FileMapping::open(path));
        DASGD_ASSIGN(file.tensors_, readSafetensors(file.mapping_->bytes(), path));
        return file;
    }

    // The returned tensor keeps the file mapped.
    [[nodiscard]] Result<at::Tensor> tensor(const std::string& name) const {
        const auto stored = std::ranges::find(tensors_, name, &StoredTensor::name);
        if (stored == tensors_.end()) {
            return fail(path_ + ": it has no tensor '" + excerpt(name) + "', but " + namesInWords() +
                        ". Name it in [data] as inputs or targets");
        }
        const auto type = torchTypeOf(stored->type);
        if (!type) return fail(path_ + ": tensor '" + name + "': " + type.error().message);
        if (*type == at::kBool) return fail(path_ + ": tensor '" + name + "': its type BOOL is none of numbers");
        if (stored->shape.empty() || std::ranges::count(stored->shape, 0) > 0) {
            return fail(path_ + ": tensor '" + name + "' holds no samples");
        }
        auto* bytes = const_cast<unsigned char*>(stored->bytes.data());
        const at::Tensor mapped = at::from_blob(
            bytes, stored->shape, [mapping = mapping_](void*) {}, torch::dtype(*type));
        const bool aligned = reinterpret_cast<std::uintptr_t>(bytes) % c10::elementSize(*type) == 0;
        if (aligned) return mapped;
        at::Tensor copy = torch::empty(stored->shape, *type);
        std::ranges::copy(stored->bytes, static_cast<unsigned char*>(copy.mutable_data_ptr()));
        return copy;
    }
    [[nodiscard]] tl::unexpected<Error> refuse(const std::string& problem) const {
        return fail(path_ + ": " + problem);
    }

private:
    [[nodiscard]] std::string namesInWords() const {
        constexpr std::size_t kMost = 10;
        std::string names;
        for (std::size_t i = 0; i < std::min(kMost, tensors_.size()); ++i) {
            names += (i == 0 ? "" : ", ") + excerpt(tensors_[i].name);
        }
        if (tensors_.size() > kMost) names += " and " + std::to_string(tensors_.size() - kMost) + " more";
        return names.empty() ? "none" : names;
    }

    explicit TensorFile(std::string path) : path_(std::move(path)) {}

    std::string path_;
    std::shared_ptr<const FileMapping> mapping_;
    std::vector<StoredTensor> tensors_;
};

std::string sizesText(const at::Tensor& tensor) {
    std::string text;
    for (const std::int64_t extent : tensor.sizes()) text += (text.empty() ? "[" : ", ") + std::to_string(extent);
    return text + "]";
}

bool isWhole(const at::Tensor& tensor) { return !tensor.is_floating_point(); }

class Safetensors final : public Dataset {
public:
    explicit Safetensors(const SafetensorsParams& params) : params_(params) {}

    Result<Splits> load(const InputSpec& natural) const override {
        Splits splits;
        DASGD_ASSIGN(splits.train, readSamples(params_.path, natural));
        if (params_.testPath.empty()) {
            splits = cutApart(splits.train);
        } else {
            DASGD_ASSIGN(splits.test, readSamples(params_.testPath, natural));
            if (splits.test.inputs.sizes().slice(1) != splits.train.inputs.sizes().slice(1)) {
                return fail(params_.testPath + ": its inputs are " + sizesText(splits.test.inputs) + ", those of " +
                            params_.path + " " + sizesText(splits.train.inputs));
            }
        }
        splits.input = {.shape = splits.train.inputs.sizes().slice(1).vec(), .task = natural.task};
        splits.input.classes = classesOf(splits);
        return splits;
    }
    bool isContinuous(const InputSpec& natural) const override { return natural.task == Task::kLanguage; }

private:
    static std::int64_t classesOf(const Splits& splits) {
        const at::Tensor& targets = splits.train.targets;
        if (splits.input.task == Task::kRegression) return targets.size(1);
        std::int64_t largest = 0;
        for (const at::Tensor& numbers : {targets, splits.test.targets}) {
            if (numbers.numel() > 0) largest = std::max(largest, numbers.max().item<std::int64_t>());
        }
        if (splits.input.task != Task::kLanguage) return largest + 1;
        return std::max(largest, splits.train.inputs.max().item<std::int64_t>()) + 1;
    }

    // Takes the test set from the end: only the end of a text can be cut off without breaking it into pieces.
    [[nodiscard]] Splits cutApart(const Samples& all) const {
        Splits splits;
        if (all.continuous) {
            const std::int64_t tests = heldOutCount(all.count(), params_.testFraction);
            splits.train = partOf(all, 0, all.count() - tests);
            splits.test = partOf(all, all.count() - tests, tests);
            return splits;
        }
        const bool classes = all.task() == Task::kClassification;
        const HeldOut sets = drawHeldOut(all.count(), params_.testFraction, classes ? all.targets : at::Tensor());
        splits.train = selected(all, sets.train, SampleUse::kTraining);
        splits.test = selected(all, sets.test, SampleUse::kEvaluation);
        return splits;
    }

    [[nodiscard]] Result<Samples> readSamples(const std::string& path, const InputSpec& natural) const {
        DASGD_ASSIGN(const TensorFile file, TensorFile::open(path));
        Samples samples;
        DASGD_ASSIGN(samples.inputs, file.tensor(params_.inputs));
        if (natural.task == Task::kLanguage) return readTokens(file, std::move(samples), natural);
        DASGD_ASSIGN(samples.targets, file.tensor(params_.targets));
        DASGD_TRY(checkTogether(file, samples));
        DASGD_TRY(checkFinite(file, params_.inputs, samples.inputs));
        DASGD_TRY(checkFinite(file, params_.targets, samples.targets));
        if (samples.inputs.scalar_type() == torch::kByte) {
            samples.scale = {{0}, {1}};
        } else if (isWhole(samples.inputs)) {
            return file.refuse("inputs are U8 (pixels) or floating; store '" + params_.inputs + "' as F32");
        }
        if (samples.inputs.dim() < 2)
            return file.refuse("inputs are " + sizesText(samples.inputs) + "; a sample needs a shape");
        const bool values = natural.task == Task::kRegression;
        if (values == isWhole(samples.targets) || (!values && samples.targets.dim() != 1) ||
            samples.targets.dim() > 2) {
            return file.refuse("targets are " + std::string(isWhole(samples.targets) ? "integers " : "floating ") +
                               sizesText(samples.targets) + "; this model takes " +
                               (values ? "floating ones, [N] or [N, values]" : "classes, integers [N]"));
        }
        if (values && samples.targets.dim() == 1) samples.targets = samples.targets.unsqueeze(1);
        if (values) return samples;
        samples.targets = samples.targets.to(torch::kLong);
        DASGD_TRY(checkNumbers(file, params_.targets, samples.targets));
        return samples;
    }

    [[nodiscard]] Status checkTogether(const TensorFile& file, const Samples& samples) const {
        if (samples.inputs.size(0) == samples.targets.size(0)) return {};
        return file.refuse("'" + params_.inputs + "' has " + std::to_string(samples.inputs.size(0)) + " samples and '" +
                           params_.targets + "' " + std::to_string(samples.targets.size(0)));
    }

    // Checks classes and tokens: the network has an output for each number up to the largest.
    [[nodiscard]] static Status checkNumbers(const TensorFile& file, const std::string& name,
                                             const at::Tensor& numbers) {
        constexpr std::int64_t kMost = std::int64_t{1} << 24;
        const auto outside = firstOutside(numbers, kMost);
        if (!outside) return {};
        return file.refuse("'" + name + "' is " + std::to_string(outside->value) + " in sample " +
                           std::to_string(outside->sample) + "; numbers of classes and tokens go from 0 to at most " +
                           std::to_string(kMost - 1) +
                           ". Number them anew without gaps, and leave out samples that have none");
    }

    // One such value makes every weight NaN, at whatever step its sample comes. Training is in float32 or less.
    [[nodiscard]] static Status checkFinite(const TensorFile& file, const std::string& name,
                                            const at::Tensor& numbers) {
        const auto sample = firstNotFinite(numbers);
        if (!sample) return {};
        return file.refuse("'" + name + "' holds a number in sample " + std::to_string(*sample) +
                           " that is not finite in float32 (NaN, infinite or above 3.4e38). Correct it, or leave the "
                           "sample out");
    }

    [[nodiscard]] Result<Samples> readTokens(const TensorFile& file, Samples samples, const InputSpec& natural) const {
        if (!isWhole(samples.inputs)) return file.refuse("tokens are integers; '" + params_.inputs + "' is floating");
        if (samples.inputs.dim() == 1) {
            DASGD_TRY(checkNumbers(file, params_.inputs, samples.inputs));
            Samples text = cutText(samples.inputs, natural.shape[0]);
            if (text.count() > 0) return text;
            return file.refuse("its " + std::to_string(samples.inputs.numel()) +
                               " tokens are fewer than a sample needs");
        }
        DASGD_ASSIGN(samples.targets, file.tensor(params_.targets));
        DASGD_TRY(checkTogether(file, samples));
        if (samples.inputs.dim() != 2 || samples.inputs.sizes() != samples.targets.sizes() ||
            !isWhole(samples.targets)) {
            return file.refuse("of a text inputs and targets are integers of one shape [N, T]; found " +
                               sizesText(samples.inputs) + " and " + sizesText(samples.targets));
        }
        DASGD_TRY(checkNumbers(file, params_.inputs, samples.inputs));
        DASGD_TRY(checkNumbers(file, params_.targets, samples.targets));
        samples.continuous = true;
        return samples;
    }

    SafetensorsParams params_;
};

const DatasetRegistry::Add<Safetensors, SafetensorsParams> kAddSafetensors{
    "safetensors", "Inputs and targets from a safetensors file"};

}  // namespace
}  // namespace dasgd
