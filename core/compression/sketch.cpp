// Sketched-SGD (Ivkin et al., arXiv 1903.04488): a count sketch of the vector tells which of its numbers are large in
// the sum over all ranks, and those alone are added up exactly.
//
//   stage 1   the table [r, c] of each rank's vector x, summed: row j has at h_j(i) the sum of all s_j(i)·x_i
//   between   the p₂·k places whose estimates, medians over j of s_j(i)·table[j, h_j(i)], are largest
//   stage 2   x at these places, summed
//   result    the k largest of the sums, divided by P; e is x without these places
//
// h and s together are a polynomial of degree 3 modulo 2³¹ − 1, 4-wise independent as the paper's analysis has it,
// whose coefficients all ranks draw alike. Ties go to the place that comes first. With momentum μ > 0 (the paper's
// section 4, after arXiv 1712.01887) x is v of u ← μ·u + g, v ← v + u, and u and v become 0 at the k places.
//
// Memory: N for the estimates, with momentum 2N for u and v.
#include <torch/types.h>

#include <array>
#include <cmath>
#include <string>

#include "core/base/random.h"
#include "core/compression/bits.h"
#include "core/compression/largest.h"
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

class SketchScheme final : public ExchangeScheme {
public:
    SketchScheme(const SketchParams& params, const ExchangeView& view)
        : params_(params),
          view_(view),
          sent_(countOf(params.ratio, view.elements)),
          candidates_(sent_ > view.elements / params.candidates ? view.elements : params.candidates * sent_),
          columns_(params.columns > 0 ? params.columns : candidates_) {
        Draws draws(codingSeed(view, kEveryRank, 0));
        for (std::int64_t row = 0; row < params.rows; ++row) hashes_.emplace_back(draws, columns_);
        table_ = at::zeros({params.rows, columns_}, view.options);
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
        withNumbers(vector_, [&]<class T>(const T* x) {
            T* row = table_.zero_().template data_ptr<T>();
            for (const SketchHash& hash : hashes_) {
                forBlocks(view_.elements, kSketchBlock, [&](std::int64_t begin, std::int64_t count) {
                    SketchCells cells;
                    hash.cells(begin, static_cast<int>(count), cells);
                    for (std::int64_t i = 0; i < count; ++i) {
                        row[cells[i] / 2] += kSketchSigns<T>[cells[i] % 2] * x[begin + i];
                    }
                });
                row += columns_;
            }
        });
    }
    Pending launch(Communicator& comm, int stage) override {
        return comm.allReduce(stage == 0 ? table_ : values_, Reduce::Sum);
    }
    void recode(double, std::uint64_t) override {
        withNumbers(vector_, [&]<class T>(const T* x) {
            T* estimates = estimates_.data_ptr<T>();
            estimate(table_.data_ptr<T>(), estimates);
            const std::vector<std::int64_t> places = largestPlaces(estimates, view_.elements, candidates_);
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
    [[nodiscard]] bool lateError() const override { return true; }

    [[nodiscard]] std::int64_t bytes(int stage) const override {
        return static_cast<std::int64_t>((stage == 0 ? table_ : values_).nbytes());
    }
    [[nodiscard]] std::int64_t messageBytes() const override { return bytes(0) + bytes(1); }
    [[nodiscard]] Passes passes() const override {
        return {.encode = kPassesOfAHash * static_cast<double>(params_.rows) + (v_.defined() ? 6 : 0),
                .recode = (kPassesOfAHash + kPassesOfAMedian) * static_cast<double>(params_.rows) + kPassesOfAChoice,
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
    // Passes over memory that take as long as the cells of all numbers in one row, as a row's part in the medians, and
    // as finding the candidates (tests/bench/compression_bench).
    static constexpr double kPassesOfAHash = 13, kPassesOfAMedian = 6, kPassesOfAChoice = 10;

    template <class T>
    void estimate(const T* table, T* estimates) const {
        std::vector<T> rows(hashes_.size() * kSketchBlock);
        forBlocks(view_.elements, kSketchBlock, [&](std::int64_t begin, std::int64_t count) {
            const T* from = table;
            T* row = rows.data();
            for (const SketchHash& hash : hashes_) {
                SketchCells cells;
                hash.cells(begin, static_cast<int>(count), cells);
                for (std::int64_t i = 0; i < count; ++i) row[i] = kSketchSigns<T>[cells[i] % 2] * from[cells[i] / 2];
                from += columns_;
                row += kSketchBlock;
            }
            std::copy_n(sketchMedian(rows.data(), static_cast<int>(hashes_.size())), count, estimates + begin);
        });
    }

    SketchParams params_;
    ExchangeView view_;
    std::int64_t sent_, candidates_, columns_;  // k, p₂·k, c
    std::vector<SketchHash> hashes_;            // of each row
    at::Tensor table_;                          // [r, c]
    at::Tensor values_, places_;                // [p₂·k]
    at::Tensor estimates_;                      // [N]
    at::Tensor u_, v_;                          // [N], with momentum
    at::Tensor vector_;                         // [N], what is coded, from encode() to decode()
};

class Sketch final : public Compressor {
public:
    explicit Sketch(const SketchParams& params) : params_(params) {}
    [[nodiscard]] Properties properties() const override {
        return {
            .feedback = params_.momentum == 0, .sums = true, .ownScheme = true, .ownMomentum = params_.momentum > 0};
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
        return std::make_unique<SketchScheme>(params_, view);
    }

private:
    SketchParams params_;
};

const CompressorRegistry::Add<Sketch, SketchParams> kSketchEntry{
    "sketch", "The largest of the sum, found by a count sketch", "arXiv 1903.04488"};

}  // namespace
}  // namespace dasgd
