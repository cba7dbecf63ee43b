// Trajectories of algorithms beside operators of [compression], as those of golden_test.cpp: the weights of three ranks
// after each of twelve steps, in float32, on a model with two matrices and a vector. Its gradients are made element by
// element, so that they are the same on every processor.
#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

#include "core/models/model.h"
#include "tests/support/golden_files.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

constexpr int kGoldenRanks = 3;
constexpr std::int64_t kGoldenSteps = 12, kGoldenWeights = 9 + 4 + 2;

// ½ Σ a·(w − b)², with b the worker's own.
class ElementBowl final : public Model {
public:
    explicit ElementBowl(const NoParams&) {}

    Status build(const BuildContext& context) override {
        const std::vector<std::vector<std::int64_t>> shapes{{3, 3}, {2, 2}, {2}};
        const double phase = 1.3 * context.rank.value();
        std::int64_t first = 0;
        for (const auto& shape : shapes) {
            const at::Tensor weights = torch::zeros(shape);
            std::vector<double> curvature, target;
            for (std::int64_t i = 0; i < weights.numel(); ++i) {
                const auto at = static_cast<double>(first + i);
                // Fractions with small denominators: no function of a library, whose last bit might differ.
                curvature.push_back(0.25 + static_cast<double>((first + i) % 5) / 4);
                target.push_back(static_cast<double>(((first + i) * 7) % 11) / 8 - 0.5 + phase / (2 + at));
            }
            first += weights.numel();
            net_->register_parameter("w" + std::to_string(net_->parameters().size()), weights);
            curvatures_.push_back(torch::tensor(curvature, at::kFloat).view(shape));
            targets_.push_back(torch::tensor(target, at::kFloat).view(shape));
        }
        return {};
    }
    torch::nn::Module& module() override { return *net_; }
    at::Tensor loss(const Batch&) override {
        at::Tensor sum = torch::zeros({});
        const auto parameters = net_->parameters();
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const at::Tensor away = parameters[i] - targets_[i];
            sum = sum + (0.5 * curvatures_[i] * away * away).sum();
        }
        return sum;
    }
    Evaluation evaluate(const Batch& batch) override {
        const at::NoGradGuard noGrad;
        return {.lossSum = loss(batch), .correct = 0, .samples = 1};
    }
    InputSpec naturalInput() const override { return {}; }

private:
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    std::vector<at::Tensor> curvatures_, targets_;
};

const ModelRegistry::Add<ElementBowl> kElementBowlEntry{"element_bowl", "A bowl a worker, of a test"};

struct CompressedGolden {
    std::string name;
    Fields algorithm, compression;
};
void PrintTo(const CompressedGolden& golden, std::ostream* stream) { *stream << golden.name; }

Fields named(const std::string& name, Fields more = {}) {
    more.insert(more.begin(), {"name", text(name)});
    return more;
}

const std::vector<CompressedGolden> kCompressedGoldens{
    {"sync_sgd_dgc", named("sync_sgd", {{"first_bucket_mb", number(3e-5)}}),
     named("dgc", {{"ratio", number(0.3)}, {"momentum", number(0.5)}})},
    {"sync_sgd_powersgd", named("sync_sgd"), named("powersgd", {{"min_saving", number(1)}})},
    {"sync_sgd_sketch", named("sync_sgd"),
     named("sketch", {{"columns", integer(16)}, {"ratio", number(0.2)}, {"candidates", integer(2)}})},
    {"local_sgd_topk", named("local_sgd", {{"period", integer(3)}}), named("topk", {{"ratio", number(0.3)}})},
    {"dasgd_qsgd", named("dasgd", {{"period", integer(4)}, {"delay", integer(2)}}), named("qsgd")},
    {"easgd_int", named("easgd", {{"period", integer(2)}, {"pull", number(0.1)}}),
     named("int", {{"bits", integer(4)}, {"scheme", text("gather")}})},
    {"dga_sign", named("dga", {{"period", integer(3)}, {"delay", integer(2)}}), named("sign")},
    {"slowmo_randk", named("slowmo", {{"period", integer(3)}}), named("randk", {{"ratio", number(0.5)}})},
    {"diloco_e3m0", named("diloco", {{"period", integer(3)}}), named("e3m0")},
    {"streaming_diloco_fp16",
     named("streaming_diloco", {{"period", integer(4)}, {"fragments", integer(2)}, {"delay", integer(1)}}),
     named("fp16")},
    {"streaming_diloco_e3m0",
     named("streaming_diloco", {{"period", integer(4)},
                                {"fragments", integer(2)},
                                {"delay", integer(2)},
                                {"order", text("strided")},
                                {"launch", text("backward")}}),
     named("e3m0")}};

// weights[rank][step].
nlohmann::json compressedWeights(const std::vector<RankRecord>& records) {
    nlohmann::json all = nlohmann::json::array();
    for (const RankRecord& record : records) {
        EXPECT_EQ(record.outcome.error, "");
        nlohmann::json steps = nlohmann::json::array();
        for (std::size_t k = 0; k <= kGoldenSteps; ++k) {
            nlohmann::json weights = nlohmann::json::array();
            for (std::int64_t i = 0; i < kGoldenWeights; ++i) {
                weights.push_back(record.sink.metrics.at("weight/" + std::to_string(i)).at(k).value);
            }
            steps.push_back(std::move(weights));
        }
        all.push_back(std::move(steps));
    }
    return all;
}

Value documentOf(const nlohmann::json& settings, const char* compression) {
    return table({{"algorithm", tableOf(settings, "algorithm")},
                  {"compression", tableOf(settings, compression)},
                  {"model", table({{"name", text("element_bowl")}})},
                  {"train", table({{"steps", integer(kGoldenSteps)}})},
                  {"optimizer", table({{"name", text("sgd")}, {"learning_rate", number(0.0625)}})},
                  {"cluster", table({{"backend", text("threads")}, {"workers", integer(kGoldenRanks)}})},
                  {"record", table({{"weights", boolean(true)}})}});
}

class CompressedGoldens : public testing::TestWithParam<CompressedGolden> {};

TEST_P(CompressedGoldens, TrajectoryIsTheRecordedOne) {
    const nlohmann::json settings{{"algorithm", jsonOf(GetParam().algorithm)},
                                  {"compression", jsonOf(GetParam().compression)}};
    const nlohmann::json whole = compressedWeights(train(documentOf(settings, "none")));
    expectGolden(
        GetParam().name, settings,
        [&](const nlohmann::json& recorded) {
            nlohmann::json weights = compressedWeights(train(documentOf(recorded, "compression")));
            EXPECT_NE(weights, whole) << "something is lost in coding";
            return nlohmann::json{{"weights", std::move(weights)}};
        },
        -1);
}

INSTANTIATE_TEST_SUITE_P(Operators, CompressedGoldens, testing::ValuesIn(kCompressedGoldens),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace dasgd::test
