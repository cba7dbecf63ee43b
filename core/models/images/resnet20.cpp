// The residual networks of He et al. for small images (arXiv 1512.03385, section 4.2): 6n + 2 layers in three stages of
// 16, 32 and 64 channels, shortcuts without parameters (option A). 269,722 parameters at depth 20 on 3x32x32 and 10
// classes; the paper says 0.27 M.
#include <ATen/ops/adaptive_avg_pool2d.h>

#include <optional>

#include "core/models/classifier.h"
#include "core/models/residual.h"

namespace dasgd {
namespace {

constexpr std::int64_t kSmallestResNet20Image = 5;  // leaves 2x2: BatchNorm needs more than one value

struct ResNet20Params {
    std::int64_t depth = 20;
    std::int64_t width = 16;
    void visit(auto&& f) {
        f(depth, "depth", {.min = 8, .max = 1202, .unit = "layers", .help = "Layers with weights, 6n + 2"});
        f(width, "width", {.min = 1, .max = 1024, .unit = "channels", .help = "Channels of the first stage"});
    }
    std::optional<FieldError> check() const {
        if ((depth - 2) % 6 == 0) return std::nullopt;
        return FieldError{"depth", "depth is " + std::to_string(depth) + "; it must be 6n + 2, as 20, 32, 44, 56, 110"};
    }
};

class ResNet20Network final : public Network {
public:
    ResNet20Network(const InputSpec& input, const ResNet20Params& params)
        : stem_(register_module("stem", std::make_shared<ConvNorm>(input.shape[0], params.width, 3))) {
        std::int64_t channels = params.width;
        for (int stage = 0; stage < 3; ++stage) {
            const std::int64_t out = params.width << stage;
            for (std::int64_t i = 0; i < (params.depth - 2) / 6; ++i) {
                addBlock(std::exchange(channels, out), out, stage > 0 && i == 0 ? 2 : 1);
            }
        }
        fc_ = register_module("fc", torch::nn::Linear(channels, input.classes));
        initializeHe(*this);
    }
    at::Tensor forward(at::Tensor x) override {
        x = stem_->forward(x).relu_();
        for (const auto& block : blocks_) x = block->forward(x);
        return fc_(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
    }

private:
    void addBlock(std::int64_t in, std::int64_t out, std::int64_t stride) {
        blocks_.push_back(register_module("block" + std::to_string(blocks_.size() + 1),
                                          std::make_shared<BasicBlock>(in, out, stride, Shortcut::kPadding)));
    }

    std::shared_ptr<ConvNorm> stem_;
    std::vector<std::shared_ptr<BasicBlock>> blocks_;
    torch::nn::Linear fc_{nullptr};
};

class ResNet20 final : public Classifier {
public:
    explicit ResNet20(const ResNet20Params& params) : params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {3, 32, 32}, .classes = 10}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        DASGD_TRY(checkImage(context.input, kSmallestResNet20Image, "resnet20"));
        return std::make_shared<ResNet20Network>(context.input, params_);
    }

private:
    ResNet20Params params_;
};

const ModelRegistry::Add<ResNet20, ResNet20Params> kResNet20Entry{
    "resnet20", "ResNet-20 (32, 44, 56, 110) for small images", "arXiv 1512.03385"};

}  // namespace
}  // namespace dasgd
