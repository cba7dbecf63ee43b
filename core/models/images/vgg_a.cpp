// VGG, configuration A: 11 layers with weights (arXiv 1409.1556, table 1). 132,863,336 parameters on 3x224x224 and
// 1,000 classes.
#include "core/models/images/vgg.h"

namespace dasgd {
namespace {

class VggA final : public Classifier {
public:
    explicit VggA(const DropoutAfterParams& params) : params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {3, 224, 224}, .classes = 1000}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        DASGD_TRY(checkImage(context.input, kSmallestVggImage, "vgg_a"));
        return std::make_shared<VggNetwork>(context, params_, VggNetwork::Stages{1, 1, 2, 2, 2});
    }

private:
    DropoutAfterParams params_;
};

const ModelRegistry::Add<VggA, DropoutAfterParams> kVggAEntry{"vgg_a", "VGG, configuration A: 11 layers with weights",
                                                              "arXiv 1409.1556"};

}  // namespace
}  // namespace dasgd
