#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/schema/input_file.h"
#include "core/base/text/printable.h"
#include "core/graphs/graph.h"

namespace dasgd {
namespace {

namespace fs = std::filesystem;

using Matrix = std::vector<std::vector<double>>;

constexpr double kRowTolerance = 1e-6;
constexpr std::uintmax_t kMostMatrixBytes = 64 << 20;

// The first row, from 0, that is none of a square matrix of weights, and why.
std::optional<std::pair<std::size_t, std::string>> wrongRow(const Matrix& matrix) {
    for (std::size_t i = 0; i < matrix.size(); ++i) {
        const std::string row = "row " + std::to_string(i + 1) + " of W ";
        if (matrix[i].size() != matrix.size()) {
            return {{i, row + "has " + std::to_string(matrix[i].size()) + " numbers; W has " +
                            std::to_string(matrix.size()) + " rows and must be square"}};
        }
        double sum = 0;
        for (const double weight : matrix[i]) sum += weight;
        if (!(std::abs(sum - 1) <= kRowTolerance)) {
            return {{i, row + "sums to " + std::to_string(sum) + "; each must sum to 1"}};
        }
    }
    return std::nullopt;
}

struct MatrixParams {
    Matrix matrix;
    std::string path;
    void visit(auto&& f) {
        f(matrix, "matrix", {.symbol = "W", .help = "Weights, row by row: row i has those of rank i"});
        f(path, "path",
          {.help = "Instead of them a CSV file with a row on each line, from the folder of the experiment file; the "
                   "run's record has the rows"});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (!path.empty() && !matrix.empty()) {
            return FieldError{"path", "the rows of W are given twice: remove path, or matrix"};
        }
        if (!path.empty()) return std::nullopt;
        if (matrix.empty()) {
            return FieldError{"matrix", "give the rows of W, as matrix = [[0.5, 0.5], [0.5, 0.5]] or path = \"w.csv\""};
        }
        const auto wrong = wrongRow(matrix);
        return wrong ? std::optional(FieldError{"matrix", wrong->second}) : std::nullopt;
    }
};

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The numbers of a line. Errors begin with "LINE:COLUMN: ", the first character being in column 1.
Result<std::vector<double>> numbersOf(std::string_view line, std::size_t number) {
    std::vector<double> row;
    for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t end = std::min(line.find(',', begin), line.size());
        const std::string_view cell = trimmed(line.substr(begin, end - begin));
        double value = 0;
        const auto [rest, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
        if (error != std::errc() || rest != cell.data() + cell.size() || !std::isfinite(value)) {
            const std::size_t at = cell.empty() ? begin : static_cast<std::size_t>(cell.data() - line.data());
            return fail(std::to_string(number) + ":" + std::to_string(at + 1) + ": '" + printable(std::string(cell)) +
                        "' is no number; each line has the weights of a rank, as 0.5, 0.25, 0.25");
        }
        row.push_back(value);
        begin = end + 1;
    }
    return row;
}

// The rows of a CSV file; lines without anything are left out.
Result<Matrix> rowsOf(const fs::path& file) {
    const std::string name = file.string();
    std::error_code ignored;
    if (!isInputFile(file)) return fail(name + ": cannot be read: there is no such file");
    if (const auto bytes = fs::file_size(file, ignored); !ignored && bytes > kMostMatrixBytes) {
        return fail(name + ": has " + std::to_string(bytes) + " bytes; at most " + std::to_string(kMostMatrixBytes) +
                    " are read");
    }
    std::ifstream in(file);
    Matrix rows;
    std::vector<std::size_t> lines;
    std::string line;
    for (std::size_t number = 1; std::getline(in, line); ++number) {
        if (trimmed(line).empty()) continue;
        auto row = numbersOf(line, number);
        if (!row) return fail(name + ":" + row.error().message);
        rows.push_back(std::move(*row));
        lines.push_back(number);
    }
    if (in.bad() || !in.eof()) return fail(name + ": cannot be read");
    if (rows.empty()) return fail(name + ": has no row: each line has the weights of a rank, as 0.5, 0.5");
    if (const auto wrong = wrongRow(rows)) {
        return fail(name + ":" + std::to_string(lines[wrong->first]) + ":1: " + wrong->second);
    }
    return rows;
}

class MatrixGraph final : public Graph {
public:
    explicit MatrixGraph(const MatrixParams& params) : rows_(params.matrix), path_(params.path) {}
    [[nodiscard]] Result<Value::Table> open(const fs::path& folder) override {
        if (path_.empty()) return Value::Table();
        DASGD_ASSIGN(rows_, rowsOf(folder / path_));
        MatrixParams read{.matrix = rows_, .path = ""};
        return *writeFields(read).as<Value::Table>();
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
        if (std::ssize(rows_) == size) return std::nullopt;
        return FieldError{path_.empty() ? "matrix" : "path", "W has " + std::to_string(rows_.size()) + " rows, and " +
                                                                 std::to_string(size) +
                                                                 " ranks train: give one row a rank"};
    }

    Matrix rows_;
    std::string path_;
};

const GraphRegistry::Add<MatrixGraph, MatrixParams> kMatrixEntry{"matrix", "Weights that the experiment gives"};

}  // namespace
}  // namespace dasgd
