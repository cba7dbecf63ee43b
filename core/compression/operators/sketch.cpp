// Count sketches of the vector, which tell which of its numbers are large in the sum over all ranks. Row j of a table
// [r, c] has at h_j(i) the sum of all s_j(i)·x_i; an estimate of x_i is the median over j of s_j(i)·table[j, h_j(i)].
//
// error = "worker": Sketched-SGD (Ivkin et al., arXiv 1903.04488). The numbers that are large are added up exactly.
//
//   stage 1   the tables of all ranks' vectors x, summed
//   between   the p₂·k places whose estimates are largest
//   stage 2   x at these places, summed
//   result    the k largest of the sums, divided by P; e is x without these places
//
// With momentum μ > 0 (the paper's section 4, after arXiv 1712.01887) x is v of u ← μ·u + g, v ← v + u, and u and v
// become 0 at the k places.
//
// error = "sketch": FetchSGD (Rothchild et al., arXiv 2007.07682). Momentum and error are tables too, alike on all
// ranks, and estimates are all that is known of a number.
//
//   stage 1   the tables of all ranks' gradients, summed: S is their mean
//             U ← μ·U + S    E ← E + U
//   result    the k largest of the estimates by E; the cells of these numbers become 0 in U and E
//
// That cells become 0 is the authors' code (kiddyboots216/CommEfficient, fed_aggregator.py), whose comment says that
// training diverges where the table of the result is subtracted from E instead, as the paper has it. The code leaves a
// cell as it is where the numbers in it cancel out exactly; here it becomes 0 as well. The learning rate multiplies the
// result, as in the code; the paper's multiplies U.
//
// gs-SGD sums the tables along a tree of log₂P levels. How an all-reduce travels is the network's: on the virtual
// cluster [network] collective = "tree" is such a tree for both stages, and elsewhere the backend chooses.
//
// h and s together are a polynomial of degree 3 modulo 2³¹ − 1, 4-wise independent as the analysis of arXiv 1903.04488
// has it, whose coefficients all ranks draw alike. Ties go to the place that comes first.
//
// Memory: N for the estimates; with momentum 2N for u and v, or a table each for S, U and E.
#include <torch/types.h>

#include <array>
#include <cmath>
#include <string>

#include "core/base/random.h"
#include "core/compression/bits.h"
#include "core/compression/operators/largest.h"
#include "core/compression/scheme.h"

namespace dasgd {
namespace {

// 2³¹ − 1, a prime.
constexpr std::uint64_t kSketchPrime = 0x7fffffff;

struct SketchParams {
    std::int64_t rows = 5;
    std::int64_t columns = 0;
    double ratio = 0.01;
    std::int64_t candidates = 4;
    double momentum = 0;
    std::string error = "worker";
    void visit(auto&& f) {
        f(rows, "rows", {.min = 1, .max = 63, .symbol = "r", .help = "Rows of the table, whose median counts"});
        f(columns, "columns",
          {.min = 0, .max = 1e9, .symbol = "c", .help = "Columns of the table; 0: as many as there are candidates"});
        f(ratio, "ratio", {.min = 0, .max = 1, .minOpen = true, .help = "Share of the numbers that arrive"});
        f(candidates, "candidates",
          {.min = 1, .max = 1e6, .symbol = "p₂", .help = "Numbers that are looked at exactly, for each that arrives"});
        f(momentum, "momentum",
          {.min = 0,
           .max = 1,
           .maxOpen = true,
           .symbol = "μ",
           .help = "Momentum of the gradients before they are sent"});
        f(error, "error",
          {.help =
               "worker: each worker keeps what did not arrive, and exact sums arrive; sketch: momentum and what did "
               "not arrive are tables, and estimates arrive",
           .choices = {"worker", "sketch"}});
    }
    // Number k of the numbers that arrive, and p₂·k of the candidates.
    [[nodiscard]] std::int64_t arriving(std::int64_t elements) const { return countOf(ratio, elements); }
    [[nodiscard]] std::int64_t lookedAt(std::int64_t elements) const {
        const std::int64_t k = arriving(elements);
        return k > elements / candidates ? elements : candidates * k;
    }
};

constexpr int kSketchBlock = 512;
using SketchCells = std::array<std::uint32_t, kSketchBlock>;

// The cell of each number in one row: twice its column, and 1 more where its sign is negative.
class SketchHash {
public:
    SketchHash(Draws& draws, std::int64_t columns) : cells_(2 * static_cast<std::uint32_t>(columns)) {
        for (std::uint32_t& coefficient : coefficients_) {
            coefficient = static_cast<std::uint32_t>(draws.next() * static_cast<double>(kSketchPrime));
        }
    }
    // Of numbers begin to begin + count − 1.
    void cells(std::int64_t begin, int count, SketchCells& cells) const {
        onWideVectors([coefficients = coefficients_, columns = cells_, first = static_cast<std::uint32_t>(begin), count,
                       to = cells.data()] {
            for (int i = 0; i < count; ++i) {
                const std::uint32_t x = first + static_cast<std::uint32_t>(i);
                std::uint32_t value = coefficients[0];
                for (int power = 1; power < 4; ++power) {
                    std::uint64_t next = std::uint64_t{value} * x + coefficients[power];
                    next = (next & kSketchPrime) + (next >> 31);
                    value = static_cast<std::uint32_t>((next & kSketchPrime) + (next >> 31));
                }
                value = value >= kSketchPrime ? static_cast<std::uint32_t>(value - kSketchPrime) : value;
                to[i] = static_cast<std::uint32_t>((std::uint64_t{value} * columns) >> 31);
            }
        });
    }

private:
    std::array<std::uint32_t, 4> coefficients_{};  // from the highest power on
    std::uint32_t cells_;
};

template <class T>
constexpr T kSketchSigns[2] = {1, -1};

// The medians of `count` rows of kSketchBlock numbers, place by place; of an even count the mean of the two in the
// middle. The rows are sorted by exchanges of neighbours (Knuth, The Art of Computer Programming 3, 5.3.4), the same
// operations whatever the numbers are. Answers the row that holds the medians.
template <class T>
T* sketchMedian(T* rows, int count) {
    onWideVectors([rows, count] {
        for (int turn = 0; turn < count; ++turn) {
            for (int row = turn % 2; row + 1 < count; row += 2) {
                T* lower = rows + row * kSketchBlock;
                T* upper = lower + kSketchBlock;
                for (int i = 0; i < kSketchBlock; ++i) {
                    const T a = lower[i], b = upper[i];
                    lower[i] = b < a ? b : a;
                    upper[i] = b < a ? a : b;
                }
            }
        }
    });
    T* middle = rows + count / 2 * kSketchBlock;
    for (int i = 0; i < kSketchBlock && count % 2 == 0; ++i) middle[i] = (middle[i - kSketchBlock] + middle[i]) / 2;
    return middle;
}

// Passes over memory that take as long as the cells of all numbers in one row, and as a row's part in the medians and
// in the search for candidates (tests/bench/compression_bench, with five rows).
constexpr double kPassesOfAHash = 20, kPassesOfAMedian = 36;

// The sketch of vectors [N], whose tables are [r, c].
class CountSketch {
public:
    CountSketch(const SketchParams& params, const ExchangeView& view)
        : elements_(view.elements), columns_(params.columns > 0 ? params.columns : params.lookedAt(view.elements)) {
        Draws draws(codingSeed(view, kEveryRank, 0));
        for (std::int64_t row = 0; row < params.rows; ++row) hashes_.emplace_back(draws, columns_);
    }
    [[nodiscard]] at::Tensor emptyTable(const at::TensorOptions& options) const {
        return at::zeros({static_cast<std::int64_t>(hashes_.size()), columns_}, options);
    }

    void code(const at::Tensor& x, at::Tensor table) const {
        withNumbers(x, [&]<class T>(const T* numbers) {
            T* row = table.zero_().template data_ptr<T>();
            for (const SketchHash& hash : hashes_) {
                forBlocks(elements_, kSketchBlock, [&](std::int64_t begin, std::int64_t count) {
                    SketchCells cells;
                    hash.cells(begin, static_cast<int>(count), cells);
                    for (std::int64_t i = 0; i < count; ++i) {
                        row[cells[i] / 2] += kSketchSigns<T>[cells[i] % 2] * numbers[begin + i];
                    }
                });
                row += columns_;
            }
        });
    }
    void estimate(const at::Tensor& table, at::Tensor estimates) const {
        withNumbers(table, [&]<class T>(const T* cellsOfAll) {
            T* to = estimates.data_ptr<T>();
            std::vector<T> rows(hashes_.size() * kSketchBlock);
            forBlocks(elements_, kSketchBlock, [&](std::int64_t begin, std::int64_t count) {
                const T* from = cellsOfAll;
                T* row = rows.data();
                for (const SketchHash& hash : hashes_) {
                    SketchCells cells;
                    hash.cells(begin, static_cast<int>(count), cells);
                    for (std::int64_t i = 0; i < count; ++i) {
                        row[i] = kSketchSigns<T>[cells[i] % 2] * from[cells[i] / 2];
                    }
                    from += columns_;
                    row += kSketchBlock;
                }
                std::copy_n(sketchMedian(rows.data(), static_cast<int>(hashes_.size())), count, to + begin);
            });
        });
    }
    // The cells of number `place` become 0.
    void clear(at::Tensor table, std::int64_t place) const {
        withNumbers(table, [&]<class T>(T* row) {
            for (const SketchHash& hash : hashes_) {
                SketchCells cells;
                hash.cells(place, 1, cells);
                row[cells[0] / 2] = 0;
                row += columns_;
            }
        });
    }

    // Passes over the memory of a vector.
    [[nodiscard]] double passesOfCode() const { return kPassesOfAHash * static_cast<double>(hashes_.size()); }
    [[nodiscard]] double passesOfEstimates() const {
        return (kPassesOfAHash + kPassesOfAMedian) * static_cast<double>(hashes_.size());
    }

private:
    std::int64_t elements_, columns_;  // N, c
    std::vector<SketchHash> hashes_;   // of each row
};

class SketchScheme final : public ExchangeScheme {
public:
    SketchScheme(const SketchParams& params, const ExchangeView& view)
        : params_(params),
          view_(view),
          sketch_(params, view),
          sent_(params.arriving(view.elements)),
          candidates_(params.lookedAt(view.elements)) {
        table_ = sketch_.emptyTable(view.options);
        values_ = at::zeros({candidates_}, view.options);
        places_ = at::zeros({candidates_}, view.options.dtype(at::kLong));
        estimates_ = at::zeros({view.elements}, view.options);
        if (params.momentum == 0) return;
        u_ = at::zeros({view.elements}, view.options);
        v_ = at::zeros({view.elements}, view.options);
    }
    [[nodiscard]] int stages() const override { return 2; }
    void encode(at::Tensor p, std::uint64_t) override {
        vector_ = p;
        if (v_.defined()) {
            u_.mul_(params_.momentum).add_(p);
            v_.add_(u_);
            vector_ = v_;
        }
        sketch_.code(vector_, table_);
    }
    Pending launch(Communicator& comm, int stage) override {
        return comm.allReduce(stage == 0 ? table_ : values_, Reduce::Sum);
    }
    void recode(double, std::uint64_t) override {
        sketch_.estimate(table_, estimates_);
        withNumbers(vector_, [&]<class T>(const T* x) {
            const auto places = largestPlaces(estimates_.data_ptr<T>(), view_.elements, candidates_);
            std::copy(places.begin(), places.end(), places_.data_ptr<std::int64_t>());
            std::transform(places.begin(), places.end(), values_.data_ptr<T>(), [x](std::int64_t i) { return x[i]; });
        });
    }
    void decode(at::Tensor out, std::uint64_t) override {
        withNumbers(out, [&]<class T>(T* result) {
            const T* sums = values_.data_ptr<T>();
            const std::int64_t* places = places_.data_ptr<std::int64_t>();
            for (const std::int64_t chosen : largestPlaces(sums, candidates_, sent_)) {
                const std::int64_t i = places[chosen];
                result[i] += sums[chosen] / static_cast<T>(view_.ranks);
                if (v_.defined()) u_.data_ptr<T>()[i] = v_.data_ptr<T>()[i] = 0;
                if (view_.feedback) vector_.data_ptr<T>()[i] = 0;
            }
        });
        vector_.reset();
    }
    void resume(at::Tensor p) override { vector_ = std::move(p); }

    [[nodiscard]] std::int64_t bytes(int stage) const override {
        return static_cast<std::int64_t>((stage == 0 ? table_ : values_).nbytes());
    }
    [[nodiscard]] std::int64_t messageBytes() const override { return bytes(0) + bytes(1); }
    [[nodiscard]] Passes passes() const override {
        return {.encode = sketch_.passesOfCode() + (v_.defined() ? 6 : 0),
                .recode = sketch_.passesOfEstimates(),
                .decode = kPassesOfLargest * static_cast<double>(candidates_) / static_cast<double>(view_.elements)};
    }
    [[nodiscard]] NamedTensors kept() override {
        if (!v_.defined()) return {};
        return {{"momentum", &u_}, {"unsent", &v_}};
    }
    [[nodiscard]] NamedTensors underWay() override {
        NamedTensors tensors{{"table", &table_}, {"values", &values_}, {"places", &places_}};
        if (v_.defined()) {
            vector_ = v_;
        } else if (!view_.feedback) {
            if (!vector_.defined()) vector_ = at::empty({view_.elements}, view_.options);
            tensors.emplace_back("vector", &vector_);
        }
        return tensors;
    }

private:
    SketchParams params_;
    ExchangeView view_;
    CountSketch sketch_;
    std::int64_t sent_, candidates_;  // k, p₂·k
    at::Tensor table_;                // [r, c]
    at::Tensor values_, places_;      // [p₂·k]
    at::Tensor estimates_;            // [N]
    at::Tensor u_, v_;                // [N], with momentum
    at::Tensor vector_;               // [N], what is coded, from encode() to decode()
};

// error = "sketch".
class SketchedErrorScheme final : public ExchangeScheme {
public:
    SketchedErrorScheme(const SketchParams& params, const ExchangeView& view)
        : params_(params), view_(view), sketch_(params, view) {
        table_ = sketch_.emptyTable(view.options);
        error_ = sketch_.emptyTable(view.options);
        if (params.momentum > 0) momentum_ = sketch_.emptyTable(view.options);
        estimates_ = at::zeros({view.elements}, view.options);
    }
    void encode(at::Tensor p, std::uint64_t) override { sketch_.code(p, table_); }
    Pending launch(Communicator& comm, int) override { return comm.allReduce(table_, Reduce::Sum); }
    void decode(at::Tensor out, std::uint64_t) override {
        table_.div_(view_.ranks);
        error_.add_(momentum_.defined() ? momentum_.mul_(params_.momentum).add_(table_) : table_);
        sketch_.estimate(error_, estimates_);
        withNumbers(out, [&]<class T>(T* result) {
            const T* estimates = estimates_.data_ptr<T>();
            for (const std::int64_t i : largestPlaces(estimates, view_.elements, params_.arriving(view_.elements))) {
                result[i] += estimates[i];
                sketch_.clear(error_, i);
                if (momentum_.defined()) sketch_.clear(momentum_, i);
            }
        });
    }

    [[nodiscard]] std::int64_t bytes(int) const override { return static_cast<std::int64_t>(table_.nbytes()); }
    // S is divided, U multiplied and S added to it, and U, or S, to E.
    [[nodiscard]] Passes passes() const override {
        const double ofTables = (momentum_.defined() ? 10.0 : 5.0) * static_cast<double>(table_.numel());
        return {.encode = sketch_.passesOfCode(),
                .decode = sketch_.passesOfEstimates() + ofTables / static_cast<double>(view_.elements)};
    }
    [[nodiscard]] NamedTensors kept() override {
        NamedTensors tensors{{"error_table", &error_}};
        if (momentum_.defined()) tensors.emplace_back("momentum_table", &momentum_);
        return tensors;
    }
    [[nodiscard]] NamedTensors underWay() override { return {{"table", &table_}}; }

private:
    SketchParams params_;
    ExchangeView view_;
    CountSketch sketch_;
    at::Tensor table_, error_, momentum_;  // [r, c]: S, E, and U where μ > 0
    at::Tensor estimates_;                 // [N]
};

class Sketch final : public Compressor {
public:
    explicit Sketch(const SketchParams& params) : params_(params) {}
    [[nodiscard]] Properties properties() const override {
        const bool keepsItself = params_.momentum > 0 || params_.error == "sketch";
        return {.feedback = !keepsItself, .sparse = true, .sums = true, .ownScheme = true, .ownMomentum = keepsItself};
    }
    [[nodiscard]] std::optional<FieldError> check(const std::vector<std::vector<std::int64_t>>& shapes) const override {
        double elements = 0;
        for (const std::vector<std::int64_t>& shape : shapes) {
            double product = 1;
            for (const std::int64_t size : shape) product *= static_cast<double>(size);
            elements += product;
        }
        if (elements < static_cast<double>(kSketchPrime)) return std::nullopt;
        return FieldError{"name", "a sketch tells up to 2147483646 numbers apart, and the model has more: choose topk"};
    }
    [[nodiscard]] std::unique_ptr<ExchangeScheme> makeScheme(const ExchangeView& view) const override {
        if (params_.error == "sketch") return std::make_unique<SketchedErrorScheme>(params_, view);
        return std::make_unique<SketchScheme>(params_, view);
    }

private:
    SketchParams params_;
};

const CompressorRegistry::Add<Sketch, SketchParams> kSketchEntry{
    "sketch", "The largest of the sum, found by a count sketch", "arXiv 1903.04488, 2007.07682"};

}  // namespace
}  // namespace dasgd
