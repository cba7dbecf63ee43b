// Samples as they are stored, and batches made of them.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "core/models/model.h"

namespace dasgd {

// Thrown where a file that was in order when the data were loaded cannot be read any more, or is damaged further in.
// The message names the file and the remedy.
class DataError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Scale of pixels of 0 to 255: a network gets (x / 255 − mean) / deviation. One number for each channel, or one for
// all.
struct PixelScale {
    std::vector<double> mean, deviation;
};

// Augmentation of images of a training set, [B, C, H, W] in bytes, each time they are taken: moved by up to `pad`
// pixels each way, with black outside, and mirrored with probability 1/2 (He et al., arXiv 1512.03385, section 4.2).
struct Augmentation {
    std::int64_t pad = 0;
    bool mirror = false;
    [[nodiscard]] bool any() const { return pad > 0 || mirror; }
};

// Preparation of batches: number of threads, and of batches that they make ahead. Without threads a batch is made when
// it is asked for.
struct Loading {
    int threads = 0;
    int ahead = 4;
};

// In evaluation nothing is random: images are neither moved nor mirrored, and cut out of the middle.
enum class SampleUse { kTraining, kEvaluation };

// Makes inputs of samples that are not in memory as one tensor. Read-only and used by several threads at a time.
class SampleReader {
public:
    struct Inputs {
        at::Tensor values;   // [B, …shape], in the type that is stored
        at::Tensor indices;  // of the samples that they are: those asked for, but where a damaged file was skipped:
                             // another one in training, none in evaluation
    };
    virtual ~SampleReader() = default;
    // `indices`: int64 [B]. `seed`: of all random numbers drawn for them. Throws DataError.
    [[nodiscard]] virtual Inputs read(const at::Tensor& indices, std::uint64_t seed) const = 0;
    // True where a sample costs so much that a step would wait for its batch.
    [[nodiscard]] virtual bool isSlow() const = 0;
    // Number of damaged files that were left out in reading so far.
    [[nodiscard]] virtual std::int64_t skipped() const = 0;
    // Reader of the samples `indices` (int64) alone, counted from 0: in training a damaged one is replaced by another
    // of them.
    [[nodiscard]] virtual std::shared_ptr<const SampleReader> selected(const at::Tensor& indices,
                                                                       SampleUse use) const = 0;
};

// Inputs and targets keep the type that they are stored in until a batch is made of them.
struct Samples {
    // [N, …shape]: floating; bytes, with a `scale`: pixels; other integers: tokens. Undefined where `reader` makes
    // them.
    at::Tensor inputs;
    // int64 [N]: classes; floating [N, values]; integers [N, T]: tokens.
    at::Tensor targets;
    std::shared_ptr<const SampleReader> reader = nullptr;
    PixelScale scale = {};
    Augmentation augmentation = {};
    Loading loading = {};
    bool continuous = false;  // each sample continues where the one before it ends
    at::Tensor rows = {};     // int64 [N]: the rows of `inputs` that are samples; undefined: all, in order

    [[nodiscard]] std::int64_t count() const { return targets.defined() ? targets.size(0) : 0; }
    // Task that follows from the targets, which must exist.
    [[nodiscard]] Task task() const;
};

// Batch of the samples `indices` (int64 [B], on the CPU) in a model's types, on the device of the samples:
// floating inputs and targets in `type`, tokens and classes int64. Does not wait for a device. `seed`: for
// augmentation. Fewer samples where damaged files were skipped in evaluation. Throws DataError.
[[nodiscard]] Batch makeBatch(const Samples& samples, const at::Tensor& indices, at::ScalarType type,
                              std::uint64_t seed = 0);

// Cuts `tokens` (integers, [M]) into ⌊(M − 1) / length⌋ consecutive samples; the target at each place is the next
// token. Inputs and targets are views of `tokens`.
[[nodiscard]] Samples cutText(const at::Tensor& tokens, std::int64_t length);

// The training samples of `all` with the numbers `indices` (int64), in that order. Shares inputs that are in memory.
[[nodiscard]] Samples selected(const Samples& all, const at::Tensor& indices, SampleUse use);

// `count` samples from `begin` on, for samples in memory; views.
[[nodiscard]] Samples partOf(const Samples& all, std::int64_t begin, std::int64_t count);

// Order in which `rows` rows go through continuous samples side by side: row r of batch b is sample r · batches + b of
// `stream` (int64 [≥ rows · batches]), so that it continues where row r of batch b − 1 ended.
[[nodiscard]] at::Tensor inRows(const at::Tensor& stream, std::int64_t rows, std::int64_t batches);

}  // namespace dasgd
