// MNIST and Fashion-MNIST: four IDX files under their usual names, plain (and then mapped) or gzip. MNIST without a
// path is the subset of 5,000 digits inside the program, Fashion-MNIST without a path the files of Debian's package.
#include <ATen/ops/from_blob.h>
#include <torch/types.h>

#include <algorithm>
#include <filesystem>

#include "core/datasets/dataset.h"
#include "core/datasets/embedded.h"
#include "core/datasets/formats/idx.h"

namespace dasgd {
namespace {

constexpr std::int64_t kExtent = 28;
constexpr std::int64_t kClasses = 10;

// Mean and standard deviation of the pixels of the full training set, as usual in the literature.
const PixelScale kDigits{{0.1307}, {0.3081}};
const PixelScale kFashion{{0.2860}, {0.3530}};

struct IdxPair {
    IdxArray images, labels;
    std::string imagesName, labelsName;
};

Status checkPair(const IdxPair& pair) {
    const auto& extents = pair.images.extents;
    if (extents[1] != kExtent || extents[2] != kExtent) {
        return fail(pair.imagesName + ": its images are " + std::to_string(extents[1]) + "x" +
                    std::to_string(extents[2]) + "; this data set has images of 28x28");
    }
    if (extents[0] != pair.labels.extents[0]) {
        return fail(pair.imagesName + " has " + std::to_string(extents[0]) + " images, but " + pair.labelsName +
                    " has " + std::to_string(pair.labels.extents[0]) + " labels. Take both from one source");
    }
    if (extents[0] == 0) return fail(pair.imagesName + ": it holds no images");
    const auto& labels = pair.labels.bytes;
    const auto bad = std::find_if(labels.begin(), labels.end(), [](std::uint8_t label) { return label >= kClasses; });
    if (bad != labels.end()) {
        return fail(pair.labelsName + ": label " + std::to_string(*bad) + " of sample " +
                    std::to_string(bad - labels.begin()) + " is out of range 0..9");
    }
    return {};
}

Samples toSamples(const IdxPair& pair, const PixelScale& scale) {
    const std::int64_t count = pair.images.extents[0];
    const auto bytesOf = [](const IdxArray& array, at::IntArrayRef sizes) {
        return at::from_blob(
            const_cast<std::uint8_t*>(array.bytes.data()), sizes, [owner = array.owner](void*) {}, at::kByte);
    };
    return {.inputs = bytesOf(pair.images, {count, 1, kExtent, kExtent}),
            .targets = bytesOf(pair.labels, {count}).to(at::kLong),
            .scale = scale};
}

// Reads the plain file if it exists, else the .gz.
Result<IdxArray> readEither(const std::filesystem::path& folder, const std::string& name, int dimensions,
                            std::string& found) {
    std::error_code ignored;
    for (const char* ending : {"", ".gz"}) {
        const std::filesystem::path file = folder / (name + ending);
        if (!std::filesystem::exists(file, ignored)) continue;
        found = file.string();
        return readIdx(file, dimensions);
    }
    return fail((folder / name).string() +
                ": there is no such file, neither plain nor as .gz. data.path must name the folder with "
                "train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte");
}

Result<Samples> readSplit(const std::filesystem::path& folder, const std::string& prefix, const PixelScale& scale) {
    IdxPair pair;
    DASGD_ASSIGN(pair.images, readEither(folder, prefix + "-images-idx3-ubyte", 3, pair.imagesName));
    DASGD_ASSIGN(pair.labels, readEither(folder, prefix + "-labels-idx1-ubyte", 1, pair.labelsName));
    DASGD_TRY(checkPair(pair));
    return toSamples(pair, scale);
}

Result<Samples> readEmbedded(std::span<const unsigned char> images, std::span<const unsigned char> labels) {
    IdxPair pair{.imagesName = "the digits inside the program", .labelsName = "their labels"};
    DASGD_ASSIGN(pair.images, decodeIdx(images, 3, pair.imagesName));
    DASGD_ASSIGN(pair.labels, decodeIdx(labels, 1, pair.labelsName));
    DASGD_TRY(checkPair(pair));
    return toSamples(pair, kDigits);
}

Result<Splits> splitsOf(Result<Samples> train, Result<Samples> test) {
    Splits splits{.input = {.shape = {1, kExtent, kExtent}, .classes = kClasses}};
    DASGD_ASSIGN(splits.train, std::move(train));
    DASGD_ASSIGN(splits.test, std::move(test));
    return splits;
}

struct MnistParams {
    std::string path;
    void visit(auto&& f) {
        f(path, "path", {.help = "Folder with the four IDX files, plain or .gz; empty: the 5,000 digits that ship"});
    }
};

class Mnist final : public Dataset {
public:
    explicit Mnist(const MnistParams& params) : params_(params) {}
    Result<Splits> load(const InputSpec&) const override {
        if (!params_.path.empty()) {
            return splitsOf(readSplit(params_.path, "train", kDigits), readSplit(params_.path, "t10k", kDigits));
        }
        const EmbeddedDigits digits = embeddedDigits();
        return splitsOf(readEmbedded(digits.trainImages, digits.trainLabels),
                        readEmbedded(digits.testImages, digits.testLabels));
    }

private:
    MnistParams params_;
};

constexpr const char* kPackagedFashion = "/usr/share/datasets/fashion-mnist";

struct FashionMnistParams {
    std::string path;
    void visit(auto&& f) {
        f(path, "path",
          {.help =
               "Folder with the four IDX files, plain or .gz; empty: those of Debian's package dataset-fashion-mnist"});
    }
};

class FashionMnist final : public Dataset {
public:
    explicit FashionMnist(const FashionMnistParams& params) : params_(params) {}
    Result<Splits> load(const InputSpec&) const override {
        const std::filesystem::path folder = params_.path.empty() ? kPackagedFashion : params_.path;
        if (params_.path.empty() && !std::filesystem::exists(folder)) {
            return fail(
                "Fashion-MNIST is not on this computer: install Debian's package dataset-fashion-mnist, which "
                "./lab run does for a file that asks for it, or set data.path to the folder with its four IDX "
                "files");
        }
        return splitsOf(readSplit(folder, "train", kFashion), readSplit(folder, "t10k", kFashion));
    }

private:
    FashionMnistParams params_;
};

const DatasetRegistry::Add<Mnist, MnistParams> kAddMnist{"mnist", "Handwritten digits, 28x28", "LeCun, Cortes, Burges"};
const DatasetRegistry::Add<FashionMnist, FashionMnistParams> kAddFashion{"fashion_mnist", "Articles of clothing, 28x28",
                                                                         "arXiv 1708.07747"};

}  // namespace
}  // namespace dasgd
