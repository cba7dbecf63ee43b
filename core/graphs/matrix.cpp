#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "core/graphs/graph.h"

namespace dasgd {
namespace {

using Matrix = std::vector<std::vector<double>>;

constexpr double kRowTolerance = 1e-6;

struct MatrixParams {
    Matrix matrix;
    std::string path;
    void visit(auto&& f) {
        f(matrix, "matrix", {.symbol = "W", .help = "Weights, row by row: row i has those of rank i"});
        f(path, "path", {.help = "Or a file of comma-separated rows"});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (matrix.empty() == path.empty()) {
            return FieldError{path.empty() ? "matrix" : "path", "give either matrix, its rows of numbers, or path"};
        }
        return checkRows(matrix, "matrix");
    }

    [[nodiscard]] static std::optional<FieldError> checkRows(const Matrix& rows, const std::string& field) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::string row = "row " + std::to_string(i + 1) + " of W ";
            if (rows[i].size() != rows.size()) {
                return FieldError{field, row + "has " + std::to_string(rows[i].size()) + " numbers; W has " +
                                             std::to_string(rows.size()) + " rows and must be square"};
            }
            double sum = 0;
            for (const double weight : rows[i]) sum += weight;
            if (!(std::abs(sum - 1) <= kRowTolerance)) {
                return FieldError{field, row + "sums to " + std::to_string(sum) + "; each must sum to 1"};
            }
        }
        return std::nullopt;
    }
};

// Reads rows of numbers; an error names the line.
Result<Matrix> readRows(const std::string& path) {
    std::ifstream file(path);
    if (!file) return fail("cannot read " + path);
    Matrix rows;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        if (line.find_first_not_of(" \t\r") == std::string::npos || line.starts_with('#')) continue;
        std::vector<double>& row = rows.emplace_back();
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');) {
            std::size_t used = 0;
            try {
                row.push_back(std::stod(cell, &used));
            } catch (const std::exception&) {
                used = std::string::npos;
            }
            if (used == std::string::npos || cell.find_first_not_of(" \t\r", used) != std::string::npos) {
                return fail(path + ":" + std::to_string(number) + ": '" + cell + "' is no number");
            }
        }
    }
    return rows;
}

class MatrixGraph final : public Graph {
public:
    explicit MatrixGraph(const MatrixParams& params)
        : rows_(params.matrix), field_(params.path.empty() ? "matrix" : "path") {
        if (params.path.empty()) return;
        auto read = readRows(params.path);
        if (!read) {
            error_ = read.error().message;
            return;
        }
        rows_ = std::move(*read);
        if (const auto refused = MatrixParams::checkRows(rows_, field_)) error_ = params.path + ": " + refused->message;
    }
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
        if (!error_.empty()) return FieldError{field_, error_};
        if (std::ssize(rows_) == size) return std::nullopt;
        return FieldError{
            field_, "W has " + std::to_string(rows_.size()) + " rows, and " + std::to_string(size) + " ranks train"};
    }

    Matrix rows_;
    std::string field_;
    std::string error_;  // why the file is no matrix
};

const GraphRegistry::Add<MatrixGraph, MatrixParams> kMatrixEntry{"matrix", "Weights from the experiment or a file"};

}  // namespace
}  // namespace dasgd
