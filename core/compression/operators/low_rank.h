// Products of a matrix M [n, m], row by row in memory, with factors of few columns, which lie column by column: a
// factor of r columns for the rows is [r][n], for the columns [r][m]. M may end within its last row; what is missing
// counts as 0. The order of all additions is fixed, so that equal factors give equal bits on every host.
//
// Four columns of a factor are used in one pass over M.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace dasgd {

inline constexpr int kFactorColumnsPerPass = 4;

// Numbers in memory of a matrix whose rows have `columns` each.
struct MatrixExtent {
    std::int64_t rows = 0, columns = 0, elements = 0;  // elements <= rows·columns

    // Numbers of row i that are there.
    [[nodiscard]] std::int64_t width(std::int64_t i) const {
        return std::clamp<std::int64_t>(elements - i * columns, 0, columns);
    }
    [[nodiscard]] std::int64_t usedRows() const { return (elements + columns - 1) / columns; }
};

namespace detail {

// Calls f(k, K) for columns k to k + K − 1 of a factor, K being an integral constant of 1 to 4.
template <class F>
void forFactorColumns(int rank, F&& f) {
    int k = 0;
    for (; k + 4 <= rank; k += 4) f(k, std::integral_constant<int, 4>());
    if (rank - k == 3) f(k, std::integral_constant<int, 3>());
    if (rank - k == 2) f(k, std::integral_constant<int, 2>());
    if (rank - k == 1) f(k, std::integral_constant<int, 1>());
}

// Eight sums a column, added up in order.
template <int K, class T>
void rowTimesFactor(const T* __restrict__ row, std::int64_t width, const T* __restrict__ q, std::int64_t columns,
                    T* __restrict__ p, std::int64_t rows) {
    constexpr int kLanes = 8;
    T sums[K][kLanes] = {};
    std::int64_t j = 0;
    for (; j + kLanes <= width; j += kLanes) {
        for (int k = 0; k < K; ++k) {
            for (int lane = 0; lane < kLanes; ++lane) sums[k][lane] += row[j + lane] * q[k * columns + j + lane];
        }
    }
    for (int k = 0; k < K; ++k) {
        T sum = 0;
        for (const T part : sums[k]) sum += part;
        for (std::int64_t rest = j; rest < width; ++rest) sum += row[rest] * q[k * columns + rest];
        p[k * rows] = sum;
    }
}

template <int K, class T>
void addRowTimesNumbers(const T* __restrict__ row, std::int64_t width, const T* __restrict__ p, std::int64_t rows,
                        T* __restrict__ q, std::int64_t columns) {
    T factors[K];
    for (int k = 0; k < K; ++k) factors[k] = p[k * rows];
    for (std::int64_t j = 0; j < width; ++j) {
        const T number = row[j];
        for (int k = 0; k < K; ++k) q[k * columns + j] += factors[k] * number;
    }
}

template <int K, class T>
void addFactorsToRow(T* __restrict__ row, std::int64_t width, const T* __restrict__ p, std::int64_t rows,
                     const T* __restrict__ q, std::int64_t columns, T scale) {
    T factors[K];
    for (int k = 0; k < K; ++k) factors[k] = scale * p[k * rows];
    for (std::int64_t j = 0; j < width; ++j) {
        T sum = factors[0] * q[j];
        for (int k = 1; k < K; ++k) sum += factors[k] * q[k * columns + j];
        row[j] += sum;
    }
}

}  // namespace detail

// p ← M·q
template <class T>
void timesFactor(const T* matrix, const MatrixExtent& extent, const T* q, T* p, int rank) {
    std::fill_n(p, rank * extent.rows, T{0});
    detail::forFactorColumns(rank, [&](int k, auto count) {
        for (std::int64_t i = 0; i < extent.usedRows(); ++i) {
            detail::rowTimesFactor<count.value>(matrix + i * extent.columns, extent.width(i), q + k * extent.columns,
                                                extent.columns, p + k * extent.rows + i, extent.rows);
        }
    });
}

// q ← Mᵀ·p
template <class T>
void transposedTimesFactor(const T* matrix, const MatrixExtent& extent, const T* p, T* q, int rank) {
    constexpr std::int64_t kStrip = 1024;  // columns whose part of q stays in the nearest cache
    std::fill_n(q, rank * extent.columns, T{0});
    detail::forFactorColumns(rank, [&](int k, auto count) {
        for (std::int64_t begin = 0; begin < extent.columns; begin += kStrip) {
            for (std::int64_t i = 0; i < extent.usedRows(); ++i) {
                detail::addRowTimesNumbers<count.value>(
                    matrix + i * extent.columns + begin, std::min(kStrip, extent.width(i) - begin),
                    p + k * extent.rows + i, extent.rows, q + k * extent.columns + begin, extent.columns);
            }
        }
    });
}

// M ← M + scale·p·qᵀ
template <class T>
void addProduct(T* matrix, const MatrixExtent& extent, const T* p, const T* q, int rank, T scale) {
    detail::forFactorColumns(rank, [&](int k, auto count) {
        for (std::int64_t i = 0; i < extent.usedRows(); ++i) {
            detail::addFactorsToRow<count.value>(matrix + i * extent.columns, extent.width(i), p + k * extent.rows + i,
                                                 extent.rows, q + k * extent.columns, extent.columns, scale);
        }
    });
}

// Gram-Schmidt in the order of the columns, in double; each column is freed from those before it twice, so that what is
// left is orthogonal to them however little that is. A column that depends on them, but for rounding, becomes 0. NaN
// stays NaN.
template <class T>
void orthonormalise(T* p, std::int64_t rows, int rank) {
    constexpr double kLeastRest = 8 * std::numeric_limits<T>::epsilon();
    std::vector<double> columns(p, p + rank * rows);
    const auto dot = [rows](const double* a, const double* b) {
        double sum = 0;
        for (std::int64_t i = 0; i < rows; ++i) sum += a[i] * b[i];
        return sum;
    };
    for (int k = 0; k < rank; ++k) {
        double* column = columns.data() + k * rows;
        const double before = std::sqrt(dot(column, column));
        for (int turn = 0; turn < 2; ++turn) {
            for (int other = 0; other < k; ++other) {
                const double* unit = columns.data() + other * rows;
                const double share = dot(column, unit);
                for (std::int64_t i = 0; i < rows; ++i) column[i] -= share * unit[i];
            }
        }
        const double rest = std::sqrt(dot(column, column));
        const double factor = rest <= kLeastRest * before ? 0 : 1 / rest;
        for (std::int64_t i = 0; i < rows; ++i) column[i] *= factor;
    }
    std::transform(columns.begin(), columns.end(), p, [](double number) { return static_cast<T>(number); });
}

}  // namespace dasgd
