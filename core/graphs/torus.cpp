#include "core/graphs/neighbour_graph.h"

namespace dasgd {
namespace {

struct TorusParams {
    GraphWeights common;
    std::int64_t rows = 0;
    void visit(auto&& f) {
        common.visit(f);
        f(rows, "rows",
          {.min = 0,
           .max = 1e6,
           .unit = "ranks",
           .help = "Rows of the grid, which divide the number of ranks; 0: as near to a square as they can be"});
    }
};

// Rank r is in row r / columns. Rows and columns are rings; a rank that is a neighbour twice is one once.
class Torus final : public NeighbourGraph {
public:
    explicit Torus(const TorusParams& params) : NeighbourGraph(params.common.weights), rows_(params.rows) {}

private:
    [[nodiscard]] std::optional<FieldError> checkSize(int size) const override {
        if (size == 1 || rows_ == 0 || size % rows_ == 0) return std::nullopt;
        return FieldError{"rows", "rows is " + std::to_string(rows_) + ", which does not divide " +
                                      std::to_string(size) + " ranks; set 0 for the nearest to a square"};
    }
    [[nodiscard]] int rowsOf(int size) const {
        if (size == 1) return 1;
        if (rows_ > 0) return static_cast<int>(rows_);
        int best = 1;
        for (int rows = 1; rows * rows <= size; ++rows) best = size % rows == 0 ? rows : best;
        return best;
    }
    [[nodiscard]] std::vector<int> sourcesOf(const GraphRound& round, int rank) const override {
        const int rows = rowsOf(round.size), columns = round.size / rows;
        const int row = rank / columns, column = rank % columns;
        const auto at = [&](int r, int c) { return (r + rows) % rows * columns + (c + columns) % columns; };
        return neighboursAmong({at(row, column - 1), at(row, column + 1), at(row - 1, column), at(row + 1, column)},
                               rank);
    }

    std::int64_t rows_;
};

const GraphRegistry::Add<Torus, TorusParams> kTorusEntry{"torus", "A grid whose rows and columns are rings"};

}  // namespace
}  // namespace dasgd
