// Images in folders, one a class: path/train/CLASS/FILE and path/val/CLASS/FILE (or test/), JPEG or PNG, as ImageNet is
// kept; files in sub-folders of a class are of that class, as in torchvision's ImageFolder. Sizes and ends of all files
// and checksums of PNG are looked at when the set is loaded; pixels are decoded when a batch is made. Training crops:
// "resized", a part of 8 to 100 % of the area with sides 3:4 to 4:3 (Szegedy et al., arXiv 1409.4842, section 6, with
// the numbers of torchvision's RandomResizedCrop); "shifted", a square anywhere in the resized image.
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/log.h"
#include "core/base/random.h"
#include "core/base/text/printable.h"
#include "core/datasets/augment.h"
#include "core/datasets/dataset.h"
#include "core/datasets/formats/class_folders.h"
#include "core/datasets/formats/file_mapping.h"
#include "core/datasets/formats/images.h"

namespace dasgd {
namespace {

namespace fs = std::filesystem;

struct ImageFolderParams {
    std::string path;
    std::int64_t extent = 0;
    std::int64_t resize = 0;
    std::int64_t channels = 0;
    std::string crop = "resized";
    bool mirror = true;
    std::vector<double> mean;
    std::vector<double> deviation;
    std::string onDamage = "refuse";
    std::string inspect = "auto";

    void visit(auto&& f) {
        f(path, "path",
          {.help = "Folder with train/CLASS/FILE and val/CLASS/FILE (or test/), JPEG and PNG, in sub-folders too"});
        f(extent, "extent",
          {.min = 0, .max = 4096, .unit = "pixels", .help = "Width and height for the model; 0: what the model takes"});
        f(resize, "resize",
          {.min = 0,
           .max = 8192,
           .unit = "pixels",
           .help = "Shorter side of the image of which a square is cut out, of tests in the middle; 0: 8/7 extent"});
        f(channels, "channels", {.min = 0, .max = 3, .help = "1: grey; 3: colours; 0: what the model takes"});
        f(crop, "crop",
          {.help = "Crop of training images: resized, a part of any size and place; shifted, a square anywhere in the "
                   "resized image; centre",
           .choices = {"resized", "shifted", "centre"}});
        f(mirror, "mirror", {.help = "Mirror one half of the training images"});
        f(mean, "mean",
          {.min = 0, .max = 1, .help = "Mean of each channel, 0 to 1, or one for all; empty: ImageNet's"});
        f(deviation, "deviation", {.min = 0, .minOpen = true, .help = "Likewise the standard deviation"});
        f(onDamage, "on_damage",
          {.help =
               "refuse: a file whose header, end or checksum (PNG) is wrong is refused before the run; damage inside "
               "a JPEG shows when it is first decoded, and ends the run with the file's name. skip: left out, named, "
               "counted (data/skipped) and, to train on, replaced by the next",
           .choices = {"refuse", "skip"}});
        f(inspect, "inspect",
          {.help =
               "Check of every file as it is loaded. structure: header, end and checksums; pixels: it is decoded as "
               "well, so that damage inside a JPEG is found before the run, which takes each process as long as an "
               "epoch of decoding; auto: pixels of sets of at most 1,000 files, structure of larger ones",
           .choices = {"auto", "structure", "pixels"}});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (path.empty()) return FieldError{"path", "image-folder needs a path: the folder with train/ and val/"};
        if (channels == 2) return FieldError{"channels", "channels must be 1 (grey), 3 (colours) or 0 (the model's)"};
        if (mean.size() != deviation.size()) {
            return FieldError{"deviation", "mean and deviation must have as many numbers as each other"};
        }
        return std::nullopt;
    }
};

struct ImageFile {
    fs::path path;
    std::int64_t label = 0;
    ImageSize size;
};

tl::unexpected<Error> refusedFile(const fs::path& path, const std::string& problem) {
    return fail(path.string() + ": " + problem + ". Replace or remove the file, or set on_damage = \"skip\" in [data]");
}

// How squares are cut out of images.
struct Cutting {
    int extent = 224;
    int resize = 256;
    int channels = 3;
    std::string crop;
    bool mirror = false;
};

Box middle(const ImageSize& size, const Cutting& cutting) {
    const double side = std::min(size.width, size.height) * std::min(1.0, cutting.extent * 1.0 / cutting.resize);
    return {(size.width - side) / 2, (size.height - side) / 2, side, side};
}

Box anyPart(const ImageSize& size, const Cutting& cutting, std::mt19937_64& random) {
    constexpr int kTries = 10;
    for (int i = 0; i < kTries; ++i) {
        const double area = (0.08 + 0.92 * drawUnit(random)) * size.width * size.height;
        const double ratio = std::exp(std::log(3.0 / 4) + std::log(16.0 / 9) * drawUnit(random));
        const double width = std::sqrt(area * ratio), height = std::sqrt(area / ratio);
        const double x = drawUnit(random), y = drawUnit(random);
        if (width > size.width || height > size.height) continue;
        return {x * (size.width - width), y * (size.height - height), width, height};
    }
    return middle(size, cutting);
}

Box boxOf(const ImageSize& size, const Cutting& cutting, std::mt19937_64& random) {
    if (cutting.crop == "resized") return anyPart(size, cutting, random);
    Box box = middle(size, cutting);
    if (cutting.crop == "shifted") {
        box.x = drawUnit(random) * (size.width - box.width);
        box.y = drawUnit(random) * (size.height - box.height);
    }
    return box;
}

// Cutting for images that a model is judged on.
Cutting stillOf(Cutting cutting) {
    cutting.crop = "centre";
    cutting.mirror = false;
    return cutting;
}

class ImageReader final : public SampleReader {
public:
    ImageReader(std::vector<ImageFile> files, Cutting cutting, SampleUse use, bool skips)
        : files_(std::move(files)),
          cutting_(use == SampleUse::kEvaluation ? stillOf(std::move(cutting)) : std::move(cutting)),
          replaces_(use == SampleUse::kTraining),
          skips_(skips) {}

    Inputs read(const at::Tensor& indices, std::uint64_t seed) const override {
        const std::int64_t extent = cutting_.extent, channels = cutting_.channels;
        Inputs inputs{torch::empty({indices.numel(), channels, extent, extent}, torch::kByte),
                      indices.clone(at::MemoryFormat::Contiguous)};
        auto* to = inputs.values.mutable_data_ptr<std::uint8_t>();
        auto* index = inputs.indices.mutable_data_ptr<std::int64_t>();
        std::int64_t made = 0;
        for (std::int64_t i = 0; i < indices.numel(); ++i) {
            const auto read = readOne(index[i], mixBits(seed + static_cast<std::uint64_t>(i)), to);
            if (!read) continue;
            index[made++] = *read;
            to += channels * extent * extent;
        }
        return {inputs.values.slice(0, 0, made), inputs.indices.slice(0, 0, made)};
    }
    bool isSlow() const override { return true; }
    std::int64_t skipped() const override {
        const std::lock_guard lock(mutex_);
        return std::ssize(damaged_);
    }
    std::shared_ptr<const SampleReader> selected(const at::Tensor& indices, SampleUse use) const override {
        std::vector<ImageFile> some;
        const at::Tensor wanted = indices.contiguous();
        const auto* index = wanted.const_data_ptr<std::int64_t>();
        for (std::int64_t i = 0; i < wanted.numel(); ++i) some.push_back(files_[static_cast<std::size_t>(index[i])]);
        return std::make_shared<ImageReader>(std::move(some), cutting_, use, skips_);
    }

private:
    // Number of the image that was read: where a damaged one is skipped, that of the next whole one, or nullopt where
    // samples are judged, as the next would be judged twice.
    std::optional<std::int64_t> readOne(std::int64_t index, std::uint64_t seed, std::uint8_t* to) const {
        for (std::size_t tries = 0; tries < files_.size(); ++tries) {
            const ImageFile& file = files_[static_cast<std::size_t>(index)];
            if (!isDamaged(index)) {
                std::mt19937_64 random(seed);
                const Status cut = cutOut(file, random, to);
                if (cut) return index;
                if (!skips_) {
                    throw DataError(refusedFile(file.path, cut.error().message).value().message +
                                    ". inspect = \"pixels\" finds all such files before a run");
                }
                leaveOut(index, cut.error().message);
            }
            if (!replaces_ && someAreWhole()) return std::nullopt;
            index = (index + 1) % std::ssize(files_);
        }
        throw DataError(files_.front().path.string() + ": neither this file nor any other can be read any more");
    }

    void leaveOut(std::int64_t index, const std::string& problem) const {
        {
            const std::lock_guard lock(mutex_);
            if (!damaged_.insert(index).second) return;
        }
        logLine(LogLevel::Warning, files_[static_cast<std::size_t>(index)].path.string() + ": " + problem +
                                       "; it is left out from now on");
    }

    bool someAreWhole() const {
        const std::lock_guard lock(mutex_);
        return damaged_.size() < files_.size();
    }

    bool isDamaged(std::int64_t index) const {
        const std::lock_guard lock(mutex_);
        return damaged_.contains(index);
    }

    Status cutOut(const ImageFile& file, std::mt19937_64& random, std::uint8_t* to) const {
        Box box = boxOf(file.size, cutting_, random);
        const bool mirrored = cutting_.mirror && random() % 2 == 1;
        int reduction = 8;
        while (reduction > 1 && std::min(box.width, box.height) / reduction < cutting_.extent) reduction /= 2;
        DASGD_ASSIGN(const auto mapping, FileMapping::open(file.path));
        DASGD_ASSIGN(const Image image, decodeImage(mapping->bytes(), cutting_.channels, reduction));
        const double across = image.width * 1.0 / file.size.width, down = image.height * 1.0 / file.size.height;
        box = {box.x * across, box.y * down, box.width * across, box.height * down};
        resample(image, box, cutting_.extent, mirrored, to);
        return {};
    }

    const std::vector<ImageFile> files_;
    const Cutting cutting_;
    const bool replaces_;
    const bool skips_;
    mutable std::mutex mutex_;
    mutable std::set<std::int64_t> damaged_;  // guarded by mutex_
};

std::string endingOf(const fs::path& file) {
    const std::string ending = file.extension().string();
    return ending.empty() ? "no ending" : ending;
}

// Files in the folders of classes that are no samples, as nothing here reads them.
class UnreadFiles {
public:
    void add(const fs::path& file) {
        if (endings_.empty()) first_ = file;
        ++endings_[endingOf(file)];
    }
    // "4 files are left out as neither JPEG nor PNG (.webp 3, .bmp 1)", the most frequent endings first; "" where there
    // are none.
    [[nodiscard]] std::string inWords() const {
        constexpr std::size_t kMostNamed = 5;
        std::vector<std::pair<std::string, std::int64_t>> endings(endings_.begin(), endings_.end());
        std::ranges::stable_sort(endings, std::greater<>(), [](const auto& ending) { return ending.second; });
        std::int64_t count = 0;
        std::string kinds;
        for (std::size_t i = 0; i < endings.size(); ++i) {
            const auto& [ending, files] = endings[i];
            count += files;
            if (i < kMostNamed) kinds += (i == 0 ? "" : ", ") + excerpt(ending) + " " + std::to_string(files);
        }
        if (count == 0) return "";
        if (endings.size() > kMostNamed)
            kinds += " and " + std::to_string(endings.size() - kMostNamed) + " more endings";
        return std::to_string(count) + (count == 1 ? " file is" : " files are") +
               " left out as neither JPEG nor PNG (" + kinds + "), the first: " + first_.string() +
               ". Convert images among them to PNG to use them";
    }

private:
    std::map<std::string, std::int64_t> endings_;
    fs::path first_;
};

// Result of inspecting a file.
struct Inspected {
    Status order;          // error: description of the damage
    bool foreign = false;  // name and first bytes are those of an image of another format
};

bool isNamedAsRead(const fs::path& file) {
    std::string ending = file.extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
    return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

Inspected inspect(ImageFile& file, bool decodes) {
    const auto mapping = FileMapping::open(file.path);
    // Its message begins with the file's name; the caller's too.
    if (!mapping) return {fail("it is empty or cannot be read"), false};
    const auto bytes = (*mapping)->bytes();
    if (!isKnownImage(bytes) && !isNamedAsRead(file.path)) return {{}, true};
    const auto size = inspectImage(bytes);
    if (!size) return {fail(size.error().message), false};
    file.size = *size;
    if (!decodes) return {};
    // All codes are read, whatever the size and the channels.
    if (const auto image = decodeImage(bytes, 1, 8); !image) return {fail(image.error().message), false};
    return {};
}

// Looks at each file; sizes are filled in. Several threads: on a network file system each file has its delay.
std::vector<Inspected> inspectAll(std::vector<ImageFile>& files, bool decodes) {
    std::vector<Inspected> found(files.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < files.size(); i = next++) found[i] = inspect(files[i], decodes);
    };
    constexpr std::size_t kInspectors = 4;
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < std::min(kInspectors, files.size() / 64); ++t) threads.emplace_back(work);
    work();
    return found;
}

Result<std::vector<fs::path>> classesIn(const fs::path& split) {
    auto classes = classFolders(split);
    if (classes) return classes;
    return fail(classes.error().message +
                ". data.path must name the folder with train/CLASS/FILE and val/CLASS/FILE (or test/)");
}

class ImageFolder final : public Dataset {
public:
    explicit ImageFolder(const ImageFolderParams& params) : params_(params) {}

    Result<Splits> load(const InputSpec& natural) const override {
        const fs::path root = params_.path;
        const Cutting cutting = cuttingFor(natural);
        std::error_code ignored;
        const fs::path tests = fs::is_directory(root / "val", ignored) ? root / "val" : root / "test";
        DASGD_ASSIGN(const std::vector<fs::path> classes, classesIn(root / "train"));
        if (classes.size() < 2) {
            return fail((root / "train").string() + ": it has " + std::to_string(classes.size()) +
                        (classes.size() == 1 ? " folder" : " folders") +
                        " of a class, and classification needs at least 2: keep files as train/CLASS/FILE");
        }
        Splits splits{
            .input = {.shape = {cutting.channels, cutting.extent, cutting.extent}, .classes = std::ssize(classes)}};
        if (skips()) splits.skipped = 0;
        UnreadFiles unread;
        DASGD_ASSIGN(splits.train, readSplit(root / "train", classes, cutting, SampleUse::kTraining, splits, unread));
        DASGD_ASSIGN(splits.test, readSplit(tests, classes, cutting, SampleUse::kEvaluation, splits, unread));
        splits.notRead = unread.inWords();
        return splits;
    }

private:
    [[nodiscard]] bool skips() const { return params_.onDamage == "skip"; }

    // A folder without images would be a class that nobody meant, and move the numbers of those behind it.
    static Status checkClasses(const std::vector<fs::path>& classes, const std::vector<ImageFile>& files,
                               const std::vector<Inspected>& found) {
        std::vector<bool> hasImage(classes.size());
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (!found[i].foreign) hasImage[static_cast<std::size_t>(files[i].label)] = true;
        }
        const auto empty = std::ranges::find(hasImage, false) - hasImage.begin();
        if (empty == std::ssize(classes)) return {};
        return fail(classes[static_cast<std::size_t>(empty)].string() +
                    ": this class has no image that is read, JPEG or PNG; convert its files to PNG, add some or "
                    "remove the folder");
    }

    [[nodiscard]] Cutting cuttingFor(const InputSpec& natural) const {
        const auto& shape = natural.shape;
        const bool image = shape.size() == 3;
        Cutting cutting{.crop = params_.crop, .mirror = params_.mirror};
        if (params_.channels > 0 || image)
            cutting.channels = static_cast<int>(params_.channels > 0 ? params_.channels : shape[0]);
        if (cutting.channels != 1) cutting.channels = 3;
        if (params_.extent > 0 || image)
            cutting.extent = static_cast<int>(params_.extent > 0 ? params_.extent : shape[1]);
        cutting.resize = params_.resize > 0 ? static_cast<int>(params_.resize) : (cutting.extent * 8 + 6) / 7;
        return cutting;
    }

    [[nodiscard]] Result<PixelScale> scaleFor(int channels) const {
        if (params_.mean.empty()) {
            if (channels == 1) return PixelScale{{0.449}, {0.226}};
            return PixelScale{{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};
        }
        if (params_.mean.size() != 1 && std::ssize(params_.mean) != channels) {
            return fail("data.mean has " + std::to_string(params_.mean.size()) + " numbers for images of " +
                        std::to_string(channels) + " channels; give one for each, or one for all");
        }
        return PixelScale{params_.mean, params_.deviation};
    }

    static Result<std::vector<ImageFile>> listSplit(const fs::path& folder, const std::vector<fs::path>& classes,
                                                    UnreadFiles& unread) {
        DASGD_ASSIGN(const std::vector<fs::path> folders, classesIn(folder));
        std::vector<ImageFile> files;
        for (const fs::path& one : folders) {
            const auto same = [&](const fs::path& other) { return other.filename() == one.filename(); };
            const auto label = std::ranges::find_if(classes, same) - classes.begin();
            if (label == std::ssize(classes)) {
                return fail(one.string() + ": the training set has no class of this name; add it or remove the folder");
            }
            DASGD_ASSIGN(std::vector<fs::path> inside, filesBelow(one));
            for (fs::path& file : inside) {
                if (hasImageName(file)) {
                    files.push_back({std::move(file), label, {}});
                } else {
                    unread.add(file);
                }
            }
        }
        return files;
    }

    [[nodiscard]] bool decodes(std::size_t files) const {
        return params_.inspect == "pixels" || (params_.inspect == "auto" && files <= 1000);  // about two seconds
    }

    Result<Samples> readSplit(const fs::path& folder, const std::vector<fs::path>& classes, const Cutting& cutting,
                              SampleUse use, Splits& into, UnreadFiles& unread) const {
        DASGD_ASSIGN(std::vector<ImageFile> files, listSplit(folder, classes, unread));
        const std::vector<Inspected> found = inspectAll(files, decodes(files.size()));
        if (use == SampleUse::kTraining) DASGD_TRY(checkClasses(classes, files, found));
        std::vector<ImageFile> whole;
        std::vector<std::int64_t> labels;
        std::int64_t damaged = 0;
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (found[i].foreign) {
                unread.add(files[i].path);
            } else if (found[i].order) {
                labels.push_back(files[i].label);
                whole.push_back(std::move(files[i]));
            } else if (!skips()) {
                return refusedFile(files[i].path, found[i].order.error().message);
            } else if (++damaged; (*into.skipped)++ == 0) {
                into.firstSkipped = files[i].path.string() + ": " + found[i].order.error().message;
            }
        }
        if (whole.empty()) {
            return fail(folder.string() + (damaged > 0 ? ": all of its images are damaged"
                                                       : ": it has no image that is read; keep files as CLASS/FILE, "
                                                         "JPEG or PNG"));
        }
        Samples samples;
        DASGD_ASSIGN(samples.scale, scaleFor(cutting.channels));
        samples.targets = torch::tensor(labels, torch::kInt64);
        samples.reader = std::make_shared<ImageReader>(std::move(whole), cutting, use, skips());
        return samples;
    }

    ImageFolderParams params_;
};

const DatasetRegistry::Add<ImageFolder, ImageFolderParams> kAddImageFolder{"image-folder",
                                                                           "JPEG and PNG files, a folder a class"};

}  // namespace
}  // namespace dasgd
