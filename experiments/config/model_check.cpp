#include "experiments/config/model_check.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "core/models/classifier.h"
#include "experiments/base/errors.h"
#include "experiments/base/process.h"
#include "experiments/base/text.h"

namespace dasgd::experiments {

namespace {

constexpr Ns kSecond = 1'000'000'000;
constexpr std::size_t kLongestAnswer = 1 << 16;

}  // namespace

// A step over two samples of a large network takes seconds; reading it takes as long as its file is large.
Ns modelPatience(std::uint64_t bytes) {
    constexpr std::uint64_t kBytesPerSecond = 10 << 20;
    return (60 + static_cast<Ns>(bytes / kBytesPerSecond)) * kSecond;
}

Status askAboutModel(const ForeignCode& code, const std::string& program, Ns patience) {
    if (patience == 0) {
        std::error_code missing;
        const auto bytes = std::filesystem::file_size(code.file, missing);
        patience = modelPatience(missing ? 0 : bytes);
    }
    DASGD_ASSIGN(ChildProcess child, ChildProcess::start({program, argumentsOf(code), {}, false}));
    const auto exit = child.awaitEnd(patience, kLongestAnswer);
    if (!exit && child.report().size() > kLongestAnswer) {
        return fail(code.file + ": the trial of its code answered with more than " +
                    std::to_string(kLongestAnswer / 1024) +
                    " KiB, which is no reason that could be shown; let forward raise errors with short texts");
    }
    if (!exit) {
        return fail(code.file + ": the trial of its code did not end within " +
                    duration(static_cast<double>(patience) * 1e-9) +
                    "; two samples and three were to be trained on and evaluated. Look for a loop in forward that does "
                    "not end, or make the network smaller");
    }
    if (exit->signal == 0 && exit->code == kFinished) return {};
    if (exit->signal == 0 && exit->code == kWrongInput) return fail(child.report());
    return fail(code.file + ": the trial of its code ended with " + describeExit(*exit) +
                "; try it in Python on a batch of two samples");
}

std::vector<std::string> argumentsOf(const ForeignCode& code) {
    return {"check-model",
            "--file=" + code.file,
            "--task=" + code.task,
            "--input=" + shapeText(code.input.shape),
            "--classes=" + std::to_string(code.input.classes),
            std::string("--type=") + c10::toString(code.type)};
}

Result<InputSpec> inputOf(const std::string& shape, std::int64_t classes, const std::string& task) {
    InputSpec input{.classes = classes};
    if (task == "values") input.task = Task::kRegression;
    if (task == "text") input.task = Task::kLanguage;
    std::istringstream extents(shape);
    for (std::string extent; std::getline(extents, extent, 'x');) {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(extent.data(), extent.data() + extent.size(), value);
        if (error != std::errc() || end != extent.data() + extent.size()) return fail("no shape: " + shape);
        input.shape.push_back(value);
    }
    return input;
}

Result<at::ScalarType> scalarTypeOf(const std::string& name) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf}) {
        if (name == c10::toString(type)) return type;
    }
    return fail("no type of parameters: " + name);
}

}  // namespace dasgd::experiments
