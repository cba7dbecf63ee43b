#include <gmock/gmock.h>
#include <torch/types.h>

#include "core/models/embedding_tables.h"
#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/sim/networks.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

Value smallTables() {
    return table({{"dense", integer(3)},
                  {"tables", integer(3)},
                  {"rows", integer(6)},
                  {"lookups", integer(2)},
                  {"width", integer(4)},
                  {"bottom", array<std::int64_t>({5})},
                  {"top", array<std::int64_t>({6})}});
}
const InputSpec kSmallTables{.shape = {9}, .classes = 2, .categories = {.features = 3, .rows = 6, .lookups = 2}};

TEST(Dlrm, HasTheTablesFirst) {
    const auto model = buildModel("dlrm", kSmallTables, smallTables());
    const auto named = model->module().named_parameters();
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(named[i].key(), "table" + std::to_string(i + 1));
        EXPECT_EQ(named[i].value().sizes(), at::IntArrayRef({6, 4}));
    }
    // Two bottom layers, and two on the first vector and the products of four.
    EXPECT_EQ(parameterCount(*model), 3 * 24 + (3 * 5 + 5) + (5 * 4 + 4) + (10 * 6 + 6) + (6 + 1));
    EXPECT_EQ(model->naturalInput().shape, kSmallTables.shape);
    EXPECT_EQ(model->naturalInput().categories.rows, 6);
}

// The network in plain loops over a sample's numbers.
TEST(Dlrm, IsTheFormula) {
    const auto model = buildModel("dlrm", kSmallTables, smallTables());
    model->module().to(torch::kFloat64);
    const auto p = model->module().named_parameters();
    const Batch batch = randomBatch(kSmallTables, 5, torch::kFloat64);
    const at::Tensor outputs = outputsOf(*model, batch.inputs).detach();
    const auto layer = [&](const std::string& name, const at::Tensor& x) {
        return p[name + ".weight"].mv(x) + p[name + ".bias"];
    };
    const at::NoGradGuard guard;
    for (std::int64_t i = 0; i < 5; ++i) {
        const at::Tensor x = batch.inputs[i];
        std::vector<at::Tensor> vectors{layer("bottom2", layer("bottom1", x.slice(0, 0, 3)).relu()).relu()};
        for (std::int64_t t = 0; t < 3; ++t) {
            const at::Tensor& rows = p["table" + std::to_string(t + 1)];
            vectors.push_back(rows[x[3 + 2 * t].item<std::int64_t>()] + rows[x[4 + 2 * t].item<std::int64_t>()]);
        }
        std::vector<at::Tensor> top{vectors[0]};
        for (std::size_t a = 1; a < 4; ++a) {
            for (std::size_t b = 0; b < a; ++b) top.push_back(vectors[a].dot(vectors[b]).view({1}));
        }
        const double z = layer("top2", layer("top1", torch::cat(top)).relu()).item<double>();
        EXPECT_EQ(outputs[i][0].item<double>(), 0);
        EXPECT_NEAR(outputs[i][1].item<double>(), z, 1e-12);
    }
}

TEST(Dlrm, GradientsMatchFiniteDifferences) {
    const auto model = buildModel("dlrm", kSmallTables, smallTables());
    model->module().to(torch::kFloat64);
    expectGradientsMatchDifferences(*model, randomBatch(kSmallTables, 30, torch::kFloat64));
}

// What is given is computed with once, and has the gradient that the sums of rows have.
TEST(Dlrm, TakesLookupsInPlaceOfItsOwn) {
    const auto model = buildModel("dlrm", kSmallTables, smallTables());
    model->module().to(torch::kFloat64);
    auto& tables = dynamic_cast<HasEmbeddingTables&>(*model);
    const Batch batch = randomBatch(kSmallTables, 4, torch::kFloat64);
    const at::Tensor rows = tables.rowsOf(batch.inputs);
    ASSERT_EQ(rows.sizes(), at::IntArrayRef({4, 3, 2}));
    EXPECT_TRUE(rows.flatten(1).equal(batch.inputs.slice(1, 3)));
    std::vector<at::Tensor> sums;
    const auto named = model->module().named_parameters();
    for (std::int64_t t = 0; t < 3; ++t) {
        const at::Tensor numbers = rows.select(1, t).flatten().to(at::kLong);
        sums.push_back(
            named[static_cast<std::size_t>(t)].value().detach().index_select(0, numbers).view({4, 2, 4}).sum(1));
    }
    const at::Tensor own = model->loss(batch);
    own.backward();
    const at::Tensor gradient = named["table1"].grad().clone();
    model->module().zero_grad();
    const at::Tensor pooled = torch::stack(sums, 1).requires_grad_();
    tables.takePooled(pooled);
    const at::Tensor given = model->loss(batch);
    given.backward();
    EXPECT_EQ(given.item<double>(), own.item<double>());
    EXPECT_FALSE(named["table1"].grad().defined() && named["table1"].grad().any().item<bool>());
    at::Tensor scattered = torch::zeros({6, 4}, torch::kFloat64);
    for (std::int64_t i = 0; i < 4; ++i) {
        for (std::int64_t l = 0; l < 2; ++l) scattered[rows[i][0][l].item<std::int64_t>()] += pooled.grad()[i][0];
    }
    EXPECT_TRUE(scattered.allclose(gradient, 1e-12, 1e-14));
    EXPECT_EQ(model->loss(batch).item<double>(), own.item<double>()) << "once";
}

TEST(Dlrm, RefusesOtherData) {
    EXPECT_THAT(refusalOf("dlrm", {.shape = {1, 28, 28}, .classes = 10}, smallTables()),
                HasSubstr("takes samples of 9 numbers, of which 6 name rows of tables; those of the data have 784: set "
                          "name = \"clicks\" in [data]"));
    EXPECT_THAT(refusalOf("dlrm", {.shape = {9}, .classes = 3}, smallTables()), HasSubstr("the data have 3 classes"));
    const InputSpec values{.shape = {9}, .classes = 1, .task = Task::kRegression};
    EXPECT_THAT(refusalOf("dlrm", values, smallTables()), HasSubstr("learns classes"));
}

const ModelTrial::Add kDlrmTrial{{.model = "dlrm", .input = kSmallTables, .fields = smallTables()}};

}  // namespace
}  // namespace dasgd::test
