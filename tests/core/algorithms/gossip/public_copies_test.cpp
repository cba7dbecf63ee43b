// Public copies on ranks that are threads, and CHOCO-SGD against its lines in plain doubles.
#include "core/algorithms/gossip/public_copies.h"

#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <mutex>

#include "core/exec/cpu_executor.h"
#include "core/step/archive.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/gossip_oracle.h"

namespace dasgd::test {
namespace {

constexpr std::int64_t kCodedNumbers = 11;

std::shared_ptr<const CompressionSettings> codedBy(const std::string& name) {
    return std::make_shared<const CompressionSettings>(CompressionSettings{
        .name = name, .compressor = CompressorRegistry::find(name)->create(Value(Value::Table{}), {}).value()});
}

// Calls `body` on each of `ranks` with a model of 11 weights in float64, all alike.
void withCopies(int ranks, const std::function<void(StepContext&)>& body) {
    runRanks(Backend::Threads, ranks, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(torch::nn::LinearOptions(kCodedNumbers, 1).bias(false));
        FlatParams params(*layer, torch::kFloat64);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor, 1, {.seed = 7});
        const at::NoGradGuard guard;
        params.weights().copy_(torch::arange(params.size(), at::kDouble));
        body(context);
    });
}

// [P, N]: `own` of each rank.
at::Tensor ofAllRanks(StepContext& context, const at::Tensor& own) {
    at::Tensor all = at::empty({context.comm().size(), own.numel()}, own.options());
    context.comm().allGather(own.contiguous(), all).wait();
    return all;
}

// What leaves rank `rank` in exchange `k`.
at::Tensor leaving(StepContext& context, int k) {
    const double phase = 1.7 * context.comm().rank().value() + 0.9 * k;
    return torch::sin(torch::arange(context.params().size(), at::kDouble) * 1.3 + phase);
}

at::Tensor merged(PublicCopies& copies, StepContext& context, at::Tensor x) {
    copies.encode(context, x);
    copies.launch(context);
    copies.arrive(context);
    copies.decode(x);
    copies.finish();
    return x;
}

void expectNear(const at::Tensor& got, const at::Tensor& expected, double tolerance) {
    EXPECT_LE((got - expected).abs().max().item<double>(), tolerance);
}

using CopiesCase = std::tuple<int, std::string, double, std::string>;
class CodedCopies : public testing::TestWithParam<CopiesCase> {};

// With ŝ = h + q: m = s + γ(Wŝ − ŝ), h moves by αq, what a rank has of its neighbours' copies is W·h − h at all times,
// and ⟨m⟩ = ⟨s⟩ whatever the operator.
TEST_P(CodedCopies, FollowTheirLinesAndKeepTheMean) {
    const auto& [ranks, graphName, memory, code] = GetParam();
    const auto graph = graphOf(graphName);
    std::vector<at::Tensor> rows;
    for (const auto& row : matrixOf(*graph, {.number = 0, .size = ranks}))
        rows.push_back(torch::tensor(row, at::kDouble));
    const at::Tensor w = torch::stack(rows);
    withCopies(ranks, [&, memory = memory, code = code](StepContext& context) {
        const std::int64_t rank = context.comm().rank().value();
        PublicCopies copies(codedBy(code), context, *graph, {.consensus = 0.3, .memory = memory});
        for (int k = 0; k < 12; ++k) {
            const at::Tensor before = ofAllRanks(context, copies.copy());
            const at::Tensor s = ofAllRanks(context, leaving(context, k));
            const at::Tensor m = ofAllRanks(context, merged(copies, context, leaving(context, k)));
            const at::Tensor after = ofAllRanks(context, copies.copy());
            const at::Tensor sent = (after - before) / memory;
            const at::Tensor known = before + sent;
            expectNear(m, s + (w.matmul(known) - known) * 0.3, 1e-12);
            expectNear(copies.apart(), (w.matmul(after) - after)[rank], 1e-12);
            expectNear(m.mean(0), s.mean(0), 1e-13);
            if (code != "sign") continue;
            const at::Tensor d = (s - before)[rank].narrow(0, 0, kCodedNumbers);
            const at::Tensor scale = d.abs().mean().to(at::kFloat).to(at::kDouble);
            expectNear(sent[rank].narrow(0, 0, kCodedNumbers), torch::where(d >= 0, scale, -scale), 1e-12);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Graphs, CodedCopies,
                         testing::Combine(testing::Values(1, 4, 7), testing::Values("ring", "star", "exponential"),
                                          testing::Values(1.0, 0.5), testing::Values("sign", "qsgd", "topk", "randk")),
                         [](const auto& info) {
                             return std::get<1>(info.param) + "_" + std::to_string(std::get<0>(info.param)) +
                                    (std::get<2>(info.param) == 1 ? "_whole_" : "_half_") + std::get<3>(info.param);
                         });

// A rank that knows its neighbours as they are, to the last bit, though all of them have come far.
TEST(CodedCopiesOfRanks, LeaveTheMeanAloneInFloat32) {
    runRanks(Backend::Threads, 4, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(torch::nn::LinearOptions(kCodedNumbers, 1).bias(false));
        FlatParams params(*layer, torch::kFloat32);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor);
        const at::NoGradGuard guard;
        params.weights().fill_(1000);
        PublicCopies copies(codedBy("sign"), context, *graphOf("ring"), {.consensus = 0.2});
        const at::Tensor kept = params.weights() + static_cast<double>(comm.rank().value()) - 1.5;
        for (int k = 0; k < 3000; ++k) merged(copies, context, kept.clone());
        const at::Tensor m = ofAllRanks(context, merged(copies, context, kept.clone())).to(at::kDouble);
        // A number of 1000 has steps of 6e-5.
        expectNear(m.mean(0).narrow(0, 0, kCodedNumbers), torch::full({kCodedNumbers}, 1000, at::kDouble), 4e-5);
        EXPECT_LT(ofAllRanks(context, copies.apart()).to(at::kDouble).sum(0).abs().max().item<double>(), 1e-5);
    });
}

TEST(CodedCopiesOfRanks, AreSavedWithTheirMessagesUnderWay) {
    withCopies(4, [](StepContext& context) {
        const auto graph = graphOf("star");
        PublicCopies whole(codedBy("sign"), context, *graph, {.consensus = 0.4});
        merged(whole, context, leaving(context, 0));
        at::Tensor x = leaving(context, 1);
        whole.encode(context, x);
        whole.launch(context);
        Archive archive;
        whole.save(context, archive);
        PublicCopies resumed(codedBy("sign"), context, *graph, {.consensus = 0.4});
        ASSERT_TRUE(resumed.load(archive));
        at::Tensor y = x.clone();
        for (const auto& [copies, tensor] : {std::pair(&whole, x), std::pair(&resumed, y)}) {
            copies->arrive(context);
            copies->decode(tensor);
            copies->finish();
        }
        EXPECT_TRUE(torch::equal(x, y));
        EXPECT_TRUE(
            torch::equal(merged(whole, context, leaving(context, 2)), merged(resumed, context, leaving(context, 2))));
    });
}

// One segment: scale ‖x‖₁/n, as it travels in float32.
Vec signsOf(const Vec& x) {
    double sum = 0;
    for (const double number : x) sum += std::abs(number);
    const double scale = static_cast<float>(sum / static_cast<double>(x.size()));
    Vec out;
    for (const double number : x) out.push_back(number >= 0 ? scale : -scale);
    return out;
}

// One block: whole numbers of 8 bits, of a unit that travels in float32.
Vec wholeNumbersOf(const Vec& x) {
    double largest = 0;
    for (const double number : x) largest = std::max(largest, std::abs(number));
    const double unit = static_cast<float>(largest / 127);
    Vec out;
    for (const double number : x) out.push_back(unit == 0 ? 0 : unit * std::round(number / unit));
    return out;
}

Value codedGossip(const QuadraticProblem& problem, const GossipSetting& s, double gamma, const char* code = "sign") {
    Value document = problem.experiment({{"name", text("gossip_sgd")},
                                         {"period", integer(s.period)},
                                         {"delay", integer(s.delay)},
                                         {"local_weight", number(s.xi)},
                                         {"correction", number(s.c)},
                                         {"snapshot_at_zero", boolean(s.atZero)},
                                         {"consensus", number(gamma)}});
    document.set("compression", table({{"name", text(code)}}));
    return document;
}

const GossipSetting kPublished, kAdaptThenCombine{.period = 1, .delay = 0, .xi = 0, .c = 0, .atZero = false};
const GossipSetting kLate{.period = 3, .delay = 2, .xi = 0.25, .c = 0.5, .atZero = false};

using ChocoCase = std::tuple<GossipSetting, int, Backend>;
class CodedGossip : public testing::TestWithParam<ChocoCase> {};

TEST_P(CodedGossip, IsChocoInPlainDoubles) {
    const auto& [setting, workers, backend] = GetParam();
    const QuadraticProblem problem{.workers = workers, .steps = 40, .rate = 0.05, .weightDecay = 0.01};
    const Workers start(static_cast<std::size_t>(workers), problem.start);
    const auto expected = [&, &setting = setting](double gamma, Vec (*code)(const Vec&)) {
        return serial(problem, gossips(setting, graphOf("ring"), start, 1, choco(start, gamma, code)));
    };
    expectSame(recorded(train(codedGossip(problem, setting, 0.3), backend)), expected(0.3, signsOf), 1e-11);
    expectSame(recorded(train(codedGossip(problem, setting, 1, "int"), backend)), expected(1, wholeNumbersOf), 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Settings, CodedGossip,
                         testing::Combine(testing::Values(kPublished, kAdaptThenCombine, kLate),
                                          testing::Values(1, 2, 4, 7),
                                          testing::Values(Backend::Threads, Backend::Gloo)),
                         [](const auto& info) {
                             const GossipSetting& s = std::get<0>(info.param);
                             return "t" + std::to_string(s.period) + "d" + std::to_string(s.delay) + "_" +
                                    std::to_string(std::get<1>(info.param)) + "_" + nameOf(std::get<2>(info.param));
                         });

TEST(CodedGossipOfMeans, LeavesTheMeanToTheLocalSteps) {
    const QuadraticProblem problem{.workers = 6, .steps = 60, .rate = 0.05};
    const Trajectory free = recorded(train(problem.experiment({{"name", text("independent")}})));
    for (const GossipSetting& s : {kPublished, kAdaptThenCombine}) {
        const Trajectory mixed = recorded(train(codedGossip(problem, s, 0.3)));
        for (std::size_t k = 0; k < free.size(); ++k) {
            const Vec got = mean(mixed[k]), expected = mean(free[k]);
            for (std::size_t j = 0; j < got.size(); ++j) EXPECT_NEAR(got[j], expected[j], 1e-11) << "step " << k;
        }
    }
}

// Three numbers are a byte of signs and a scale; after steps 0, 1, …, 10, to two neighbours.
TEST(CodedGossipOfMeans, SendsMessagesAlone) {
    const QuadraticProblem problem{.workers = 5, .steps = 10};
    const auto records = train(codedGossip(problem, kPublished, 0.3));
    const std::int64_t sent = records[0].sink.metrics.at("train/loss").back().bytesSent;
    EXPECT_GE(sent, 10 * 2 * 5);
    EXPECT_LE(sent, 11 * 2 * 5);
    EXPECT_NEAR(records[0].sink.metrics.at("compression/ratio").at(0).value, 5.0 / flatBytes(3), 1e-12);
}

}  // namespace
}  // namespace dasgd::test
