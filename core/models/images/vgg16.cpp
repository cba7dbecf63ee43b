// VGG, configuration D: 16 layers with weights (arXiv 1409.1556, table 1). 138,357,544 parameters on 3x224x224 and
// 1,000 classes.
#include "core/models/images/vgg.h"

namespace dasgd {
namespace {

class Vgg16 final : public Classifier {
public:
    explicit Vgg16(const DropoutAfterParams& params) : params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {3, 224, 224}, .classes = 1000}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        DASGD_TRY(checkImage(context.input, kSmallestVggImage, "vgg16"));
        return std::make_shared<VggNetwork>(context, params_, VggNetwork::Stages{2, 2, 3, 3, 3});
    }

private:
    DropoutAfterParams params_;
};

const ModelRegistry::Add<Vgg16, DropoutAfterParams> kVgg16Entry{"vgg16", "VGG, configuration D: 16 layers with weights",
                                                                "arXiv 1409.1556"};

}  // namespace
}  // namespace dasgd
