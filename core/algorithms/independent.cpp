// No communication at all: the compute-only baseline that every overlap figure is divided by.
#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/step/step_context.h"

namespace dasgd {
namespace {

class Independent final : public Algorithm, public Checkpointed, public SendsUncoded {
public:
    explicit Independent(const NoParams&) {}
    [[nodiscard]] std::string whyUncoded() const override {
        return "sends nothing that could be compressed: remove [compression]";
    }
    void afterStep(StepContext&) override {}
    void drain(StepContext&) override {}
    // Has no state.
    void save(StepContext&, Archive&) override {}
    Status load(StepContext&, const Archive&) override { return {}; }
    [[nodiscard]] std::int64_t roundSteps() const override { return 0; }
};

const AlgorithmRegistry::Add<Independent> kIndependentEntry{
    "independent", "No communication: the compute-only baseline", "", {.kind = CommunicationPattern::Kind::None}};

}  // namespace
}  // namespace dasgd
