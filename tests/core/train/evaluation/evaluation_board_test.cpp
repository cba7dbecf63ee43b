#include "core/train/evaluation/evaluation_board.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "tests/support/ranks.h"
#include "tests/support/sign_model.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Samples samples(std::int64_t count) {
    at::manual_seed(5);
    return {torch::randn({count, 2}), torch::randint(2, {count}, torch::kInt64)};
}

// Rank `rank`'s replica after `step` steps: no two are alike.
void setReplica(SignModel& model, int rank, std::int64_t step) {
    const at::NoGradGuard guard;
    // A generator of its own: ranks that are threads would share the default one.
    at::Generator random = at::detail::createCPUGenerator(static_cast<std::uint64_t>(100 * step + rank));
    model.net.weight.copy_(torch::randn({2}, random));
    model.net.norm->running_mean.copy_(torch::randn({2}, random));
}

std::vector<double> numbersOf(const EvaluationReport& report) {
    return {report.loss,           report.accuracy,          report.replicaAccuracy, report.consensusDistance,
            report.validationLoss, report.validationAccuracy};
}

// Part that `rank` names of the six weights, those of the BatchNorm included; rank 2 names nothing. The sum of the
// parts depends on their order in its last bit.
at::Tensor partOf(int rank) {
    return rank == 2 ? at::Tensor() : torch::arange(6, torch::kFloat32) * (0.1F * static_cast<float>(rank + 1));
}

// Numbers of an evaluation by ranks that meet, of their mean or of the weights that they name.
std::vector<double> together(const EvaluationSets& sets, const Roles& roles, int ranks, std::int64_t step,
                             bool named = false) {
    std::vector<double> numbers;
    runRanks(Backend::Threads, ranks, [&](Communicator& comm, Clock&) {
        SignModel model;
        FlatParams params(model.module(), torch::kFloat32);
        setReplica(model, comm.rank().value(), step);
        Evaluator::TakeModel take;
        if (named) take = [&] { takeNamedModel(partOf(comm.rank().value()), params, comm, roles); };
        Evaluator evaluator(model, params, comm, sets, roles, take);
        const EvaluationReport report = evaluator.evaluate();
        if (comm.rank() == Rank{0}) numbers = numbersOf(report);
    });
    return numbers;
}

class EvaluationBoardTest : public ::testing::TestWithParam<int> {
protected:
    [[nodiscard]] int ranks() const { return GetParam(); }
    EvaluationBoard board() { return board(Roles::allTrain(ranks())); }
    EvaluationBoard board(const Roles& roles) {
        std::vector<std::unique_ptr<Model>> models;
        models.push_back(std::make_unique<SignModel>());
        return {std::move(models), torch::kFloat32, sets_, ranks(), roles};
    }
    [[nodiscard]] std::vector<double> together(std::int64_t step) const {
        return test::together(sets_, Roles::allTrain(ranks()), ranks(), step);
    }
    // Deposits a replica as the worker loop does; returns its weight afterwards.
    at::Tensor deposit(EvaluationBoard& board, int rank, std::int64_t step, Ns now, const at::Tensor& named = {}) {
        SignModel model;
        FlatParams params(model.module(), torch::kFloat32);
        setReplica(model, rank, step);
        EvaluationBoard::Publish publish;
        if (rank == speaks_) {
            publish = [this, step](const EvaluationReport& report, Ns at) {
                results_.emplace_back(step, numbersOf(report));
                known_.push_back(at);
            };
        }
        board.deposit(Rank{rank}, step, now, model, params, publish, named);
        return model.net.weight.detach().clone();
    }
    EvaluationSets sets_{samples(23), samples(9)};
    int speaks_ = 0;
    std::vector<std::pair<std::int64_t, std::vector<double>>> results_;
    std::vector<Ns> known_;
};

TEST_P(EvaluationBoardTest, FindsWhatRanksThatMeetFind) {
    EvaluationBoard shared = board();
    for (int rank = ranks() - 1; rank >= 0; --rank) {
        EXPECT_THAT(results_, IsEmpty()) << "not before the last";
        deposit(shared, rank, 7, 100 - rank);
    }
    EXPECT_THAT(results_, ElementsAre(std::pair(std::int64_t{7}, together(7)))) << "to the last bit";
    EXPECT_THAT(known_, ElementsAre(100));
}

TEST_P(EvaluationBoardTest, RanksMayBeStepsApart) {
    EvaluationBoard shared = board();
    // Rank 0 has finished both steps before any other rank has come to the first.
    for (const std::int64_t step : {1, 2}) deposit(shared, 0, step, 10 * step);
    for (int rank = 1; rank < ranks(); ++rank) {
        for (const std::int64_t step : {1, 2}) deposit(shared, rank, step, 1000 * step + rank);
    }
    EXPECT_THAT(results_,
                ElementsAre(std::pair(std::int64_t{1}, together(1)), std::pair(std::int64_t{2}, together(2))));
    const Ns last = ranks() - 1;
    const auto known = [&](Ns step) { return ranks() == 1 ? 10 * step : 1000 * step + last; };
    EXPECT_THAT(known_, ElementsAre(known(1), known(2)));
}

TEST_P(EvaluationBoardTest, LeavesTheReplicaAlone) {
    EvaluationBoard shared = board();
    for (int rank = 0; rank < ranks(); ++rank) {
        SignModel expected;
        setReplica(expected, rank, 3);
        EXPECT_TRUE(torch::equal(deposit(shared, rank, 3, 0), expected.net.weight));
    }
}

TEST_P(EvaluationBoardTest, LeavesOutRanksThatServe) {
    // Two more ranks serve: the first and the last.
    const int all = ranks() + 2;
    const Roles roles(all, {0, all - 1});
    std::vector<std::unique_ptr<Model>> models;
    models.push_back(std::make_unique<SignModel>());
    EvaluationBoard shared(std::move(models), torch::kFloat32, sets_, all, roles);
    speaks_ = 1;
    for (int rank = ranks(); rank >= 1; --rank) deposit(shared, rank, 7, 0);
    EXPECT_THAT(results_, ElementsAre(std::pair(std::int64_t{7}, test::together(sets_, roles, all, 7))));
}

TEST_P(EvaluationBoardTest, EvaluatesTheSumOfWhatTheRanksNameInstead) {
    // One more rank serves: the last, which names a part too.
    const int all = ranks() + 1;
    const Roles roles(all, {all - 1});
    std::vector<std::unique_ptr<Model>> models;
    models.push_back(std::make_unique<SignModel>());
    EvaluationBoard shared(std::move(models), torch::kFloat32, sets_, all, roles, {},
                           EvaluationBoard::Of::NamedWeights);
    for (int rank = 0; rank < all; ++rank) {
        EXPECT_THAT(results_, IsEmpty()) << "not before the one that serves";
        deposit(shared, rank, 7, rank, partOf(rank));
    }
    const std::vector<double> met = test::together(sets_, roles, all, 7, true);
    EXPECT_NE(met, test::together(sets_, roles, all, 7)) << "not the mean";
    EXPECT_THAT(results_, ElementsAre(std::pair(std::int64_t{7}, met))) << "to the last bit";
    EXPECT_THAT(known_, ElementsAre(all - 1));
}

INSTANTIATE_TEST_SUITE_P(Ranks, EvaluationBoardTest, ::testing::Values(1, 2, 4, 7));

}  // namespace
}  // namespace dasgd::test
