#include <cmath>
#include <string>

#include "core/graphs/graph.h"

namespace dasgd {
namespace {

using Matrix = std::vector<std::vector<double>>;

constexpr double kRowTolerance = 1e-6;

struct MatrixParams {
    Matrix matrix;
    void visit(auto&& f) {
        f(matrix, "matrix", {.symbol = "W", .help = "Weights, row by row: row i has those of rank i"});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (matrix.empty()) return FieldError{"matrix", "give the rows of W, as matrix = [[0.5, 0.5], [0.5, 0.5]]"};
        for (std::size_t i = 0; i < matrix.size(); ++i) {
            const std::string row = "row " + std::to_string(i + 1) + " of W ";
            if (matrix[i].size() != matrix.size()) {
                return FieldError{"matrix", row + "has " + std::to_string(matrix[i].size()) + " numbers; W has " +
                                                std::to_string(matrix.size()) + " rows and must be square"};
            }
            double sum = 0;
            for (const double weight : matrix[i]) sum += weight;
            if (!(std::abs(sum - 1) <= kRowTolerance)) {
                return FieldError{"matrix", row + "sums to " + std::to_string(sum) + "; each must sum to 1"};
            }
        }
        return std::nullopt;
    }
};

class MatrixGraph final : public Graph {
public:
    explicit MatrixGraph(const MatrixParams& params) : rows_(params.matrix) {}
    [[nodiscard]] bool isSymmetric() const override {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (std::abs(rows_[i][j] - rows_[j][i]) > kRowTolerance) return false;
            }
        }
        return true;
    }
    [[nodiscard]] Mix mix(const GraphRound&, int rank) const override {
        const auto own = static_cast<std::size_t>(rank);
        Mix mix{.self = rows_[own][own]};
        for (std::size_t j = 0; j < rows_.size(); ++j) {
            if (j == own) continue;
            if (rows_[own][j] != 0) mix.from.push_back({Rank(static_cast<int>(j)), rows_[own][j]});
            if (rows_[j][own] != 0) mix.to.emplace_back(static_cast<int>(j));
        }
        return mix;
    }

private:
    [[nodiscard]] std::optional<FieldError> checkSize(int size) const override {
        if (std::ssize(rows_) == size) return std::nullopt;
        return FieldError{"matrix", "W has " + std::to_string(rows_.size()) + " rows, and " + std::to_string(size) +
                                        " ranks train: give one row a rank"};
    }

    Matrix rows_;
};

const GraphRegistry::Add<MatrixGraph, MatrixParams> kMatrixEntry{"matrix", "Weights that the experiment gives"};

}  // namespace
}  // namespace dasgd
