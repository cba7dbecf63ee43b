// PowerSGD (Vogels, Karimireddy, Jaggi, arXiv 1905.13727, algorithms 1 and 2): each matrix M [n, m] of the vector as
// the product of two factors of r columns, by one step of a power iteration that all ranks make together:
//
//   P = Σ M·Q    P ← orthonormal columns    Q = ⟨Mᵀ·P⟩    result P·Qᵀ    e ← M − P·Qᵀ
//
// with e that of torch's hook too (torch/distributed/algorithms/ddp_comm_hooks/powerSGD_hook.py). Two all-reduces: P,
// with all that stays whole, and Q. Whole stay vectors, and matrices whose factors save too little. With warm_start Q
// is kept for the next exchange. The first Q is drawn: normal numbers by Box and Muller (1958), the cosine alone.
//
// A column of Q that is 0 would be 0 for ever, as after an exchange in which M was 0 or had fewer than r independent
// columns: it is drawn again. The papers' code leaves it.
//
// Memory: the factors, and what stays whole.
#include <torch/types.h>

#include <cmath>
#include <numbers>
#include <string>

#include "core/base/random.h"
#include "core/compression/operators/low_rank.h"
#include "core/compression/scheme.h"

namespace dasgd {
namespace {

// Passes over memory that take as long as a product of a matrix and up to four columns, which reads it once but does
// eight operations a number; and as adding such a product to it (tests/bench/compression_bench).
constexpr double kPassesOfAProduct = 4.2, kPassesOfAnAddition = 3.5;

struct PowerSgdParams {
    std::int64_t rank = 1;
    bool warmStart = true;
    double minSaving = 2;
    std::string view = "tensor";
    void visit(auto&& f) {
        f(rank, "rank", {.min = 1, .max = 1024, .symbol = "r", .help = "Columns of the two factors of a matrix"});
        f(warmStart, "warm_start",
          {.help = "The factor that one exchange ended with begins the next; else it is drawn"});
        f(minSaving, "min_saving",
          {.min = 1, .max = 1e6, .help = "A matrix whose factors are not smaller by more than this ratio stays whole"});
        f(view, "view",
          {.help = "tensor: each parameter is a matrix of its first dimension by the others; square: all of them "
                   "together are one square matrix",
           .choices = {"tensor", "square"}});
    }
    [[nodiscard]] bool saves(std::int64_t rows, std::int64_t columns) const {
        return minSaving * static_cast<double>(rank * (rows + columns)) < static_cast<double>(rows * columns);
    }
};

MatrixExtent powerSgdSquare(std::int64_t elements) {
    auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(elements)));
    while (side * side < elements) ++side;
    return {.rows = side, .columns = side, .elements = elements};
}

class PowerSgdScheme final : public ExchangeScheme {
public:
    PowerSgdScheme(const PowerSgdParams& params, const ExchangeView& view)
        : params_(params), rank_(static_cast<int>(params.rank)), view_(view) {
        if (params.view == "square") {
            place(0, powerSgdSquare(view.elements));
        } else {
            for (const Segment& segment : view.segments) {
                const std::int64_t columns = segment.rows > 0 ? segment.elements / segment.rows : 0;
                place(segment.offset, {.rows = segment.rows, .columns = columns, .elements = segment.elements});
            }
        }
        for (Whole& part : whole_) part.place += pNumbers_;
        first_ = at::empty({pNumbers_ + wholeNumbers_}, view.options);
        q_ = at::zeros({qNumbers_}, view.options);
        if (!q_.is_meta()) drawColumns(0);
    }
    [[nodiscard]] int stages() const override { return 2; }
    void encode(at::Tensor p, std::uint64_t counter) override {
        p_ = p;
        if (!params_.warmStart) q_.zero_();
        drawColumns(counter);
        withNumbers(p, [&]<class T>(const T* vector) {
            T* first = first_.data_ptr<T>();
            for (const Matrix& matrix : matrices_) {
                timesFactor(vector + matrix.offset, matrix.extent, q_.data_ptr<T>() + matrix.q, first + matrix.p,
                            rank_);
            }
            for (const Whole& part : whole_) std::copy_n(vector + part.offset, part.elements, first + part.place);
        });
    }
    Pending launch(Communicator& comm, int stage) override {
        return comm.allReduce(stage == 0 ? first_ : q_, Reduce::Sum);
    }
    void recode(double, std::uint64_t) override {
        withNumbers(p_, [&]<class T>(const T* vector) {
            T* first = first_.data_ptr<T>();
            for (const Matrix& matrix : matrices_) {
                orthonormalise(first + matrix.p, matrix.extent.rows, rank_);
                transposedTimesFactor(vector + matrix.offset, matrix.extent, first + matrix.p,
                                      q_.data_ptr<T>() + matrix.q, rank_);
            }
        });
    }
    void decode(at::Tensor out, std::uint64_t) override {
        q_.div_(view_.ranks);
        withNumbers(out, [&]<class T>(T* result) {
            const T* first = first_.data_ptr<T>();
            addProducts(result, T{1});
            for (const Whole& part : whole_) {
                const T* sum = first + part.place;
                for (std::int64_t i = 0; i < part.elements; ++i) {
                    result[part.offset + i] += sum[i] / static_cast<T>(view_.ranks);
                }
            }
            if (!view_.feedback) return;
            T* error = p_.data_ptr<T>();
            addProducts(error, T{-1});
            for (const Whole& part : whole_) std::fill_n(error + part.offset, part.elements, T{0});
        });
        p_.reset();
    }
    void resume(at::Tensor p) override { p_ = std::move(p); }

    [[nodiscard]] std::int64_t bytes(int stage) const override {
        return static_cast<std::int64_t>((stage == 0 ? first_ : q_).nbytes());
    }
    [[nodiscard]] std::int64_t messageBytes() const override { return bytes(0) + bytes(1); }
    [[nodiscard]] Passes passes() const override {
        const double products = static_cast<double>((rank_ + kFactorColumnsPerPass - 1) / kFactorColumnsPerPass);
        return {.encode = kPassesOfAProduct * products,
                .recode = kPassesOfAProduct * products,
                .decode = kPassesOfAnAddition * products * (view_.feedback ? 2 : 1)};
    }
    [[nodiscard]] NamedTensors kept() override {
        if (!params_.warmStart) return {};
        return {{"q", &q_}};
    }
    [[nodiscard]] NamedTensors underWay() override {
        NamedTensors tensors{{"p", &first_}};
        if (!params_.warmStart) tensors.emplace_back("q", &q_);
        if (!view_.feedback) {
            if (!p_.defined()) p_ = at::empty({view_.elements}, view_.options);
            tensors.emplace_back("vector", &p_);
        }
        return tensors;
    }

private:
    struct Matrix {
        std::int64_t offset = 0;
        MatrixExtent extent;
        std::int64_t p = 0, q = 0;  // places of the factors in first_ and q_
    };
    struct Whole {
        std::int64_t offset = 0, elements = 0, place = 0;  // place: in first_
    };

    void place(std::int64_t offset, const MatrixExtent& extent) {
        if (!params_.saves(extent.rows, extent.columns)) {
            whole_.push_back({offset, extent.elements, wholeNumbers_});
            wholeNumbers_ += extent.elements;
            return;
        }
        matrices_.push_back({offset, extent, pNumbers_, qNumbers_});
        pNumbers_ += rank_ * extent.rows;
        qNumbers_ += rank_ * extent.columns;
    }
    // Draws the columns of Q that are 0; all ranks alike.
    void drawColumns(std::uint64_t counter) {
        Draws draws(codingSeed(view_, kEveryRank, counter));
        withNumbers(q_, [&]<class T>(T* q) {
            for (const Matrix& matrix : matrices_) {
                for (int k = 0; k < rank_; ++k) {
                    T* column = q + matrix.q + k * matrix.extent.columns;
                    T* end = column + matrix.extent.columns;
                    if (std::any_of(column, end, [](T number) { return number != 0; })) continue;
                    std::generate(column, end, [&] {
                        const double radius = std::sqrt(-2 * std::log(1 - draws.next()));
                        return static_cast<T>(radius * std::cos(2 * std::numbers::pi * draws.next()));
                    });
                }
            }
        });
    }
    template <class T>
    void addProducts(T* vector, T scale) {
        for (const Matrix& matrix : matrices_) {
            addProduct(vector + matrix.offset, matrix.extent, first_.data_ptr<T>() + matrix.p,
                       q_.data_ptr<T>() + matrix.q, rank_, scale);
        }
    }

    PowerSgdParams params_;
    int rank_;
    ExchangeView view_;
    std::vector<Matrix> matrices_;
    std::vector<Whole> whole_;
    std::int64_t pNumbers_ = 0, qNumbers_ = 0, wholeNumbers_ = 0;
    at::Tensor first_;  // the matrices' P, and the parts that stay whole
    at::Tensor q_;      // the matrices' Q
    at::Tensor p_;      // [N], what is coded, from encode() to decode()
};

class PowerSgd final : public Compressor {
public:
    explicit PowerSgd(const PowerSgdParams& params) : params_(params) {}
    [[nodiscard]] Properties properties() const override { return {.feedback = true, .sums = true, .ownScheme = true}; }
    [[nodiscard]] std::optional<FieldError> check(const std::vector<std::vector<std::int64_t>>& shapes) const override {
        if (params_.view == "square") {
            std::int64_t all = 0;
            for (const auto& shape : shapes) {
                std::int64_t elements = 1;
                for (const std::int64_t size : shape) elements *= size;
                all += elements;
            }
            const MatrixExtent square = powerSgdSquare(all);
            if (params_.saves(square.rows, square.columns)) return std::nullopt;
            return FieldError{"rank", "factors of rank " + std::to_string(params_.rank) + " of all " +
                                          std::to_string(all) +
                                          " weights as a square are not smaller by more than min_saving: lower rank or "
                                          "min_saving, or choose another operator"};
        }
        bool matrices = false;
        for (const std::vector<std::int64_t>& shape : shapes) {
            if (shape.size() < 2) continue;
            matrices = true;
            std::int64_t elements = 1;
            for (const std::int64_t size : shape) elements *= size;
            if (params_.saves(shape[0], elements / shape[0])) return std::nullopt;
        }
        if (!matrices) {
            return FieldError{"view", "no parameter of the model is a matrix: set view = \"square\""};
        }
        return FieldError{"rank", "factors of rank " + std::to_string(params_.rank) +
                                      " make no matrix of the model smaller by more than min_saving: lower rank or "
                                      "min_saving, or set view = \"square\""};
    }
    [[nodiscard]] std::unique_ptr<ExchangeScheme> makeScheme(const ExchangeView& view) const override {
        return std::make_unique<PowerSgdScheme>(params_, view);
    }

private:
    PowerSgdParams params_;
};

const CompressorRegistry::Add<PowerSgd, PowerSgdParams> kPowerSgdEntry{
    "powersgd", "Two factors of a few columns for each matrix", "arXiv 1905.13727"};

}  // namespace
}  // namespace dasgd
