// A text for language models: its last part is the test set; the rest is cut into consecutive samples of as many tokens
// as the model reads at a time. Without a path it is the prose inside the program.
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/datasets/dataset.h"
#include "core/datasets/embedded.h"
#include "core/datasets/formats/byte_source.h"
#include "core/datasets/formats/file_mapping.h"
#include "core/datasets/formats/utf8.h"

namespace dasgd {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{1} << 34;

struct TextParams {
    std::string path;
    std::string tokens = "characters";
    std::int64_t length = 0;
    double testFraction = 0.1;
    void visit(auto&& f) {
        f(path, "path", {.help = "A text file, plain or .gz; empty: 1.2 MB of English prose that ship"});
        f(tokens, "tokens",
          {.help = "characters: those that occur in the text, which is UTF-8; bytes: all 256, of any file",
           .choices = {"characters", "bytes"}});
        f(length, "length", {.min = 0, .max = 1e6, .unit = "tokens", .help = "Length of a sample; 0: the model's own"});
        f(testFraction, "test_fraction",
          {.min = 0,
           .max = 1,
           .minOpen = true,
           .maxOpen = true,
           .help = "The last part of the text, for the test set"});
    }
};

// Token numbers in the smallest integer type that holds them.
struct Tokens {
    at::Tensor numbers;
    std::int64_t kinds = 0;
};

Tokens bytesAsTokens(std::string_view text) {
    at::Tensor numbers = torch::empty({std::ssize(text)}, torch::kByte);
    std::copy(text.begin(), text.end(), reinterpret_cast<char*>(numbers.mutable_data_ptr<std::uint8_t>()));
    return {numbers, 256};
}

// Numbers characters by their rank among those that occur, in order of code.
Tokens charactersAsTokens(const std::vector<char32_t>& text) {
    std::vector<char32_t> kinds = text;
    std::ranges::sort(kinds);
    kinds.erase(std::ranges::unique(kinds).begin(), kinds.end());
    const auto numbered = [&]<class Number>(Number*, at::ScalarType type) {
        at::Tensor numbers = torch::empty({std::ssize(text)}, type);
        std::ranges::transform(text, numbers.mutable_data_ptr<Number>(), [&](char32_t character) {
            return static_cast<Number>(std::ranges::lower_bound(kinds, character) - kinds.begin());
        });
        return Tokens{numbers, std::ssize(kinds)};
    };
    if (kinds.size() <= 256) return numbered(static_cast<std::uint8_t*>(nullptr), torch::kByte);
    return numbered(static_cast<std::int32_t*>(nullptr), torch::kInt);
}

class Text final : public Dataset {
public:
    explicit Text(const TextParams& params) : params_(params) {}

    Result<Splits> load(const InputSpec& natural) const override {
        if (natural.task != Task::kLanguage) {
            return fail(
                "text is for models that predict the next token; the model classifies or estimates values. "
                "Choose a language model (torchscript is one with task = \"text\" in [model]), or other data");
        }
        const std::int64_t length = params_.length > 0 ? params_.length : natural.shape[0];
        DASGD_ASSIGN(const std::string text, readText());
        DASGD_ASSIGN(const Tokens tokens, tokensOf(text));
        const std::int64_t count = tokens.numbers.numel();
        const auto tests = static_cast<std::int64_t>(std::llround(static_cast<double>(count) * params_.testFraction));
        Splits splits{.input = {.shape = {length}, .classes = tokens.kinds, .task = Task::kLanguage}};
        splits.train = cutText(tokens.numbers.narrow(0, 0, count - tests), length);
        splits.test = cutText(tokens.numbers.narrow(0, count - tests, tests), length);
        if (splits.train.count() == 0 || splits.test.count() == 0) {
            return fail(name() + ": its " + std::to_string(count) + " tokens are too few for samples of " +
                        std::to_string(length) + " to train and to test with; lower length or take a longer text");
        }
        return splits;
    }
    bool isContinuous(const InputSpec&) const override { return true; }

private:
    [[nodiscard]] std::string name() const {
        return params_.path.empty() ? "the prose inside the program" : params_.path;
    }

    [[nodiscard]] Result<std::string> readText() const {
        std::shared_ptr<const FileMapping> mapping;
        if (!params_.path.empty()) {
            DASGD_ASSIGN(mapping, FileMapping::open(params_.path));
        }
        auto text = readWhole(*openSource(mapping ? mapping->bytes() : embeddedProse()), kMaxTextBytes);
        if (!text) return fail(name() + ": " + text.error().message);
        return text;
    }

    [[nodiscard]] Result<Tokens> tokensOf(const std::string& text) const {
        if (params_.tokens == "bytes") return bytesAsTokens(text);
        // A byte order mark is no character of the text.
        constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
        const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
        const auto characters = decodeUtf8(std::string_view(text).substr(begin));
        if (characters) return predictable(charactersAsTokens(*characters));
        return fail(name() + ":" + characters.error().message +
                    ". Convert the file to UTF-8, or set tokens = \"bytes\" in [data], which takes any file");
    }

    [[nodiscard]] Result<Tokens> predictable(Tokens tokens) const {
        if (tokens.kinds > 1) return tokens;
        return fail(name() + ": it is one character over and over, so that there is nothing to predict. Name another " +
                    "text in data.path");
    }

    TextParams params_;
};

const DatasetRegistry::Add<Text, TextParams> kAddText{"text", "A text, by characters or bytes"};

}  // namespace
}  // namespace dasgd
