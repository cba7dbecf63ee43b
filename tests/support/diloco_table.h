// Table 4 of arXiv 2501.18512: Gbit/s to reach a compute utilisation, with H = 100 and fragments of 3 layers.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace dasgd::test {

inline const std::vector<double> kTable4Utilizations{0.5, 0.8, 0.9, 0.95, 0.99};

struct Table4Model {
    double weights = 0;
    std::size_t layers = 0;
    double stepSeconds = 0;
    // [method][utilisation]: data-parallel, DiLoCo, Streaming DiLoCo, that with overlapped communication, and with 4
    // bits a number besides.
    std::vector<std::vector<double>> gigabits;
};
inline const std::vector<Table4Model> kTable4{{1e9,
                                               24,
                                               0.1,
                                               {{86.8, 152.6, 184.2, 222.3, 569.0},
                                                {1.4, 6.2, 13.3, 23.3, 86.8},
                                                {1.4, 5.2, 9.1, 16.0, 28.1},
                                                {1.4, 4.3, 6.2, 9.1, 11.0},
                                                {0.4, 0.9, 1.7, 2.0, 3.0}}},
                                              {10e9,
                                               48,
                                               0.8,
                                               {{104.8, 222.3, 222.3, 268.3, 471.5},
                                                {1.7, 7.5, 16.0, 33.9, 104.8},
                                                {1.7, 5.2, 9.1, 13.3, 19.3},
                                                {1.7, 3.6, 5.2, 6.2, 7.5},
                                                {0.4, 0.9, 1.4, 1.4, 1.7}}},
                                              {100e9,
                                               108,
                                               4.9,
                                               {{184.2, 323.8, 390.7, 390.7, 471.5},
                                                {3.0, 11.0, 23.3, 49.4, 184.2},
                                                {2.4, 6.2, 9.1, 11.0, 19.3},
                                                {1.7, 3.6, 4.3, 5.2, 5.2},
                                                {0.5, 0.9, 1.1, 1.1, 1.4}}}};

// The paper's bandwidths are those of a grid of 50 between 0.1 and 1,000 Gbit/s; a notch is the ratio of two
// neighbours.
inline const double kTable4Notch = std::pow(10.0, 4.0 / 49);

// From `other` to `bandwidth`, in notches.
inline double notchesBetween(double bandwidth, double other) {
    return std::log(bandwidth / other) / std::log(kTable4Notch);
}

}  // namespace dasgd::test
