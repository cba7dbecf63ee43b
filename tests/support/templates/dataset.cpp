// Random samples; made by tests/bench/add_one_of_each.sh.
#include <torch/types.h>

#include "core/datasets/dataset.h"

namespace dasgd {
namespace {

class ExtraData final : public Dataset {
public:
    explicit ExtraData(const NoParams&) {}
    Result<Splits> load(const InputSpec& natural) const override {
        Splits splits{.input = natural};
        std::vector<std::int64_t> sizes{64};
        sizes.insert(sizes.end(), natural.shape.begin(), natural.shape.end());
        splits.train = {at::randn(sizes), at::arange(64, at::kLong).remainder(natural.classes)};
        splits.test = splits.train;
        return splits;
    }
};

const DatasetRegistry::Add<ExtraData> kExtraDataEntry{"extra_dataset", "Random samples"};

}  // namespace
}  // namespace dasgd
