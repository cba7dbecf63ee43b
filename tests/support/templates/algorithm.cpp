// Averages at steps 1, 2, 4, …; made by tests/bench/add_one_of_each.sh.
#include "core/algorithms/algorithm.h"
#include "core/step/step_context.h"

namespace dasgd {
namespace {

struct ExtraParams {
    std::int64_t first = 1;
    void visit(auto&& f) { f(first, "first", {.min = 1, .unit = "steps", .symbol = "κ", .help = "First average"}); }
};

class Extra final : public Algorithm {
public:
    explicit Extra(const ExtraParams& params) : next_(params.first) {}
    void afterStep(StepContext& context) override {
        if (context.step() < next_) return;
        next_ *= 2;
        Pending mean = context.comm().allReduce(context.params().weights(), Reduce::Mean);
        context.executor().waitFor(mean, context.step(), context.params().bytes());
    }
    void drain(StepContext&) override {}

private:
    std::int64_t next_;
};

const AlgorithmRegistry::Add<Extra, ExtraParams> kExtraEntry{"extra_algorithm", "Averages at steps 1, 2, 4, …", "",
                                                             noFormula("its averages become rarer")};

}  // namespace
}  // namespace dasgd
