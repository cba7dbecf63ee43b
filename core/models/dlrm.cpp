// Deep learning recommendation model (Naumov et al., arXiv 1906.00091): a sample is a few numbers and some categorical
// features. The numbers go through the bottom layers, to a vector as wide as the rows of the embedding tables; of each
// table the rows that the sample names are added up; the products of all pairs of these vectors, beside the first one,
// go through the top layers to the log-odds of a click. Initial values are those of its authors' code
// (facebookresearch/dlrm) for the tables, uniform within ±1/√rows, and LibTorch's for the layers. Cross entropy of the
// outputs (0, z) is that of σ(z).
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <torch/nn/modules/linear.h>

#include <cmath>
#include <utility>

#include "core/models/classifier.h"
#include "core/models/embedding_tables.h"

namespace dasgd {
namespace {

// In float32 every row number up to here is exact.
constexpr double kMostRows = 16777216;

struct DlrmParams {
    std::int64_t dense = 4;
    std::int64_t tables = 8;
    std::int64_t rows = 1000;
    std::int64_t lookups = 1;
    std::int64_t width = 8;
    std::vector<std::int64_t> bottom{16};
    std::vector<std::int64_t> top{32};
    void visit(auto&& f) {
        f(dense, "dense", {.min = 1, .max = 1e6, .help = "Numbers of a sample that are no categories"});
        f(tables, "tables", {.min = 1, .max = 1e4, .symbol = "E", .help = "Embedding tables: categorical features"});
        f(rows, "rows", {.min = 1, .max = kMostRows, .unit = "rows", .help = "Rows of each table: its categories"});
        f(lookups, "lookups",
          {.min = 1, .max = 1e4, .unit = "rows", .help = "Rows of each table that a sample names; they are added up"});
        f(width, "width", {.min = 1, .max = 1e5, .unit = "numbers", .help = "Numbers of a row"});
        f(bottom, "bottom",
          {.min = 1, .max = 1e6, .unit = "units", .help = "Width of each hidden layer before the products, in order"});
        f(top, "top",
          {.min = 1, .max = 1e6, .unit = "units", .help = "Width of each hidden layer behind the products, in order"});
    }
};

at::Tensor rowNumbers(const at::Tensor& inputs, const DlrmParams& params) {
    const at::Tensor named = inputs.flatten(1).narrow(1, params.dense, params.tables * params.lookups);
    return named.reshape({inputs.size(0), params.tables, params.lookups});
}

class DlrmNetwork final : public Network {
public:
    explicit DlrmNetwork(const DlrmParams& params) : params_(params) {
        const double bound = 1 / std::sqrt(static_cast<double>(params.rows));
        for (std::int64_t i = 0; i < params.tables; ++i) {
            tables_.push_back(register_parameter("table" + std::to_string(i + 1),
                                                 at::empty({params.rows, params.width}).uniform_(-bound, bound)));
        }
        std::vector<std::int64_t> widths = params.bottom;
        widths.push_back(params.width);
        bottom_ = layers("bottom", params.dense, widths);
        const std::int64_t vectors = params.tables + 1;
        widths = params.top;
        widths.push_back(1);
        top_ = layers("top", params.width + vectors * (vectors - 1) / 2, widths);
    }

    at::Tensor forward(at::Tensor x) override {
        x = x.flatten(1);
        at::Tensor dense = x.narrow(1, 0, params_.dense);
        for (const auto& layer : bottom_) dense = layer->forward(dense).relu();
        const at::Tensor pooled = pooled_.defined() ? std::exchange(pooled_, {}) : lookUp(rowNumbers(x, params_));
        const at::Tensor vectors = at::cat({dense.unsqueeze(1), pooled}, 1);
        const at::Tensor products = vectors.bmm(vectors.transpose(1, 2));
        std::vector<at::Tensor> parts{dense};
        for (std::int64_t i = 1; i < products.size(1); ++i) parts.push_back(products.select(1, i).narrow(1, 0, i));
        at::Tensor z = at::cat(parts, 1);
        for (const auto& layer : top_) z = layer == top_.back() ? layer->forward(z) : layer->forward(z).relu();
        return at::cat({at::zeros_like(z), z}, 1);
    }

    void takePooled(at::Tensor pooled) { pooled_ = std::move(pooled); }

private:
    using Layers = std::vector<std::shared_ptr<torch::nn::LinearImpl>>;
    Layers layers(const std::string& name, std::int64_t in, const std::vector<std::int64_t>& widths) {
        Layers all;
        for (const std::int64_t width : widths) {
            all.push_back(register_module(name + std::to_string(all.size() + 1),
                                          torch::nn::Linear(std::exchange(in, width), width)));
        }
        return all;
    }
    [[nodiscard]] at::Tensor lookUp(const at::Tensor& rows) const {
        const at::Tensor numbers = rows.to(at::kLong);
        std::vector<at::Tensor> pooled;
        for (std::size_t i = 0; i < tables_.size(); ++i) {
            const at::Tensor named = numbers.select(1, static_cast<std::int64_t>(i)).flatten();
            pooled.push_back(
                tables_[i].index_select(0, named).view({rows.size(0), params_.lookups, params_.width}).sum(1));
        }
        return at::stack(pooled, 1);
    }

    const DlrmParams params_;
    std::vector<at::Tensor> tables_;
    Layers bottom_, top_;
    at::Tensor pooled_;  // lookups for the next pass; undefined: its own
};

class Dlrm final : public Classifier, public HasEmbeddingTables {
public:
    explicit Dlrm(const DlrmParams& params) : params_(params) {}
    InputSpec naturalInput() const override {
        return {.shape = {params_.dense + params_.tables * params_.lookups},
                .classes = 2,
                .categories = {.features = params_.tables, .rows = params_.rows, .lookups = params_.lookups}};
    }
    at::Tensor rowsOf(const at::Tensor& inputs) const override { return rowNumbers(inputs, params_); }
    void takePooled(at::Tensor pooled) override { static_cast<DlrmNetwork&>(module()).takePooled(std::move(pooled)); }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        const std::int64_t numbers = naturalInput().shape[0], given = elementCount(context.input.shape);
        if (given != numbers) {
            return fail("dlrm of these settings takes samples of " + std::to_string(numbers) + " numbers, of which " +
                        std::to_string(numbers - params_.dense) + " name rows of tables; those of the data have " +
                        std::to_string(given) + ": set name = \"clicks\" in [data], or the sizes in [model]");
        }
        if (context.input.classes != 2) {
            return fail("dlrm tells clicks from their absence; the data have " + std::to_string(context.input.classes) +
                        " classes: set name = \"clicks\" in [data], or choose data of two classes");
        }
        return std::make_shared<DlrmNetwork>(params_);
    }

private:
    DlrmParams params_;
};

const ModelRegistry::Add<Dlrm, DlrmParams> kDlrmEntry{
    "dlrm", "Recommendation model: embedding tables, and layers on their products", "arXiv 1906.00091"};

}  // namespace
}  // namespace dasgd
