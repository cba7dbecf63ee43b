// CIFAR-10 and CIFAR-100, binary version (https://www.cs.toronto.edu/~kriz/cifar.html): records of one label byte (in
// CIFAR-100 two, coarse and fine) and 3 x 32 x 32 pixels. The files are mapped: all processes of a host share them.
#include <torch/types.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "core/datasets/dataset.h"
#include "core/datasets/formats/file_mapping.h"

namespace dasgd {
namespace {

constexpr std::int64_t kCifarExtent = 32;
constexpr std::size_t kCifarPixels = 3 * kCifarExtent * kCifarExtent;

struct CifarKind {
    std::int64_t classes;
    std::size_t labels;                     // bytes before the pixels; the last one is the class
    std::size_t trainRecords, testRecords;  // records of a file
    std::vector<std::string> train;
    std::string test;
    PixelScale scale;  // of the training set, as usual in the literature

    [[nodiscard]] std::size_t recordBytes() const { return labels + kCifarPixels; }
};

const CifarKind kCifar10{
    10,
    1,
    10'000,
    10'000,
    {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"},
    "test_batch.bin",
    {{0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}}};
const CifarKind kCifar100{
    100, 2, 50'000, 10'000, {"train.bin"}, "test.bin", {{0.5071, 0.4865, 0.4409}, {0.2673, 0.2564, 0.2762}}};

// Records of several files, one after the other.
class CifarReader final : public SampleReader {
public:
    explicit CifarReader(const CifarKind& kind) : kind_(kind) {}

    // Adds a file. `records`: how many it must hold; 0: any number.
    Status add(const std::filesystem::path& file, std::size_t records) {
        std::error_code ignored;
        if (!std::filesystem::exists(file, ignored)) {
            return fail(file.string() + ": there is no such file. data.path must name the folder that " + archive() +
                        " is unpacked to");
        }
        DASGD_ASSIGN(auto mapping, FileMapping::open(file));
        const auto bytes = mapping->bytes();
        const std::size_t found = bytes.size() / kind_.recordBytes();
        if (bytes.size() % kind_.recordBytes() != 0) {
            return fail(file.string() + ": its length of " + std::to_string(bytes.size()) +
                        " bytes is no whole number of records of " + std::to_string(kind_.recordBytes()) +
                        " bytes: it is truncated in record " + std::to_string(found) +
                        ", or not the binary version of CIFAR-" + std::to_string(kind_.classes) +
                        ". Unpack the archive " + archive() + " again");
        }
        if (records > 0 && found != records) {
            return fail(file.string() + ": it has " + std::to_string(found) + " records, and this file of CIFAR-" +
                        std::to_string(kind_.classes) + " has " + std::to_string(records) + ". Download " + archive() +
                        " again and unpack it; of files that are a part of it on purpose, set subset = true in [data]");
        }
        for (std::size_t at = 0; at < bytes.size(); at += kind_.recordBytes()) {
            const unsigned char label = bytes[at + kind_.labels - 1];
            if (label >= kind_.classes) {
                return fail(file.string() + ": label " + std::to_string(label) + " of record " +
                            std::to_string(at / kind_.recordBytes()) + " is out of range 0.." +
                            std::to_string(kind_.classes - 1) + ". Is it the binary version of CIFAR-" +
                            std::to_string(kind_.classes) + "? Unpack its archive again");
            }
            pixels_.push_back(bytes.data() + at + kind_.labels);
            labels_.push_back(label);
        }
        mappings_.push_back(std::move(mapping));
        return {};
    }

    [[nodiscard]] at::Tensor labels() const { return torch::tensor(labels_, torch::kInt64); }

    Inputs read(const at::Tensor& indices, std::uint64_t) const override {
        const at::Tensor wanted = indices.contiguous();
        const auto* index = wanted.const_data_ptr<std::int64_t>();
        at::Tensor images = torch::empty({wanted.numel(), 3, kCifarExtent, kCifarExtent}, torch::kByte);
        auto* to = images.mutable_data_ptr<std::uint8_t>();
        for (std::int64_t i = 0; i < wanted.numel(); ++i, to += kCifarPixels) {
            std::memcpy(to, pixels_[static_cast<std::size_t>(index[i])], kCifarPixels);
        }
        return {images, indices};
    }
    bool isSlow() const override { return false; }
    std::int64_t skipped() const override { return 0; }
    std::shared_ptr<const SampleReader> selected(const at::Tensor& indices, SampleUse) const override {
        auto some = std::make_shared<CifarReader>(kind_);
        some->mappings_ = mappings_;
        const at::Tensor wanted = indices.contiguous();
        const auto* index = wanted.const_data_ptr<std::int64_t>();
        for (std::int64_t i = 0; i < wanted.numel(); ++i) {
            some->pixels_.push_back(pixels_[static_cast<std::size_t>(index[i])]);
            some->labels_.push_back(labels_[static_cast<std::size_t>(index[i])]);
        }
        return some;
    }

private:
    [[nodiscard]] std::string archive() const { return "cifar-" + std::to_string(kind_.classes) + "-binary.tar.gz"; }

    const CifarKind& kind_;
    std::vector<std::shared_ptr<const FileMapping>> mappings_;
    std::vector<const unsigned char*> pixels_;  // start of each record's pixels
    std::vector<std::int64_t> labels_;
};

struct CifarParams {
    std::string path;
    bool augment = false;
    bool subset = false;
    void visit(auto&& f) {
        f(path, "path",
          {.help =
               "Folder of the binary version: data_batch_1.bin to 5 and test_batch.bin of CIFAR-10, or train.bin and "
               "test.bin of CIFAR-100"});
        f(augment, "augment", {.help = "Train on random crops of images padded by 4 pixels, mirrored or not"});
        f(subset, "subset",
          {.help = "The files may have any number of records; else as many as the originals, of which fewer are a "
                   "download that was cut off"});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (!path.empty()) return std::nullopt;
        return FieldError{"path", "cifar needs a path: the folder with the files of the binary version"};
    }
};

class Cifar final : public Dataset {
public:
    explicit Cifar(const CifarParams& params) : params_(params) {}

    Result<Splits> load(const InputSpec&) const override {
        const std::filesystem::path folder = params_.path;
        std::error_code ignored;
        const bool hundred = std::filesystem::exists(folder / kCifar100.train[0], ignored);
        const CifarKind& kind = hundred ? kCifar100 : kCifar10;
        Splits splits{.input = {.shape = {3, kCifarExtent, kCifarExtent}, .classes = kind.classes}};
        DASGD_ASSIGN(splits.train, readSplit(kind, kind.train, kind.trainRecords));
        DASGD_ASSIGN(splits.test, readSplit(kind, {kind.test}, kind.testRecords));
        if (params_.augment) splits.train.augmentation = {.pad = 4, .mirror = true};
        return splits;
    }

private:
    [[nodiscard]] Result<Samples> readSplit(const CifarKind& kind, const std::vector<std::string>& files,
                                            std::size_t records) const {
        const auto reader = std::make_shared<CifarReader>(kind);
        const std::filesystem::path folder = params_.path;
        for (const std::string& file : files) DASGD_TRY(reader->add(folder / file, params_.subset ? 0 : records));
        Samples samples;
        samples.targets = reader->labels();
        samples.reader = reader;
        samples.scale = kind.scale;
        return samples;
    }

    CifarParams params_;
};

const DatasetRegistry::Add<Cifar, CifarParams> kAddCifar{"cifar", "Photographs of 10 or 100 kinds of things, 32x32",
                                                         "Krizhevsky 2009"};

}  // namespace
}  // namespace dasgd
