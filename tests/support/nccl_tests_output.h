// Output of nccl-tests for a link that is known: its format, and times by the formulas of core/cost, rounded as it
// prints them.
#pragma once

#include <array>
#include <cstdio>
#include <string>

#include "core/cost/fit/collective_fit.h"

namespace dasgd::test {

struct NcclOutput {
    std::string program = "all_reduce_perf";
    Collective collective = Collective::AllReduce;
    int ranks = 8;
    double alpha = 2e-6, beta = 4e-12;
    double inPlace = 1;  // factor on the times in place
    double leastBytes = 1024, mostBytes = 1 << 30;

    [[nodiscard]] std::string header() const {
        std::string text =
            "# nccl-tests version 2.18.3 nccl-headers=23003 nccl-library=23003\n"
            "# Collective test starting: " +
            program +
            "\n"
            "# nThread 1 nGpus 1 minBytes 1024 maxBytes 1073741824 step: 4(factor) warmup iters: 1 "
            "iters: 20 agg iters: 1 validation: 1 graph: 0 unalign: 0\n#\n# Using devices\n";
        for (int rank = 0; rank < ranks; ++rank) {
            text += "#  Rank " + std::to_string(rank) + " Group  0 Pid  10" + std::to_string(rank) +
                    " on       node device  " + std::to_string(rank) + " [0000:06:00] A GPU\n";
        }
        return text +
               "#\n"
               "#                                                              out-of-place                       "
               "in-place\n"
               "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw "
               "  busbw  #wrong\n"
               "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s) "
               " (GB/s)\n";
    }
    [[nodiscard]] std::string row(double bytes) const {
        std::array<char, 80> start{};
        std::snprintf(start.data(), start.size(), "%12.0f  %12.0f  %8s  %6s  %6d", bytes, bytes / 4, "float", "sum",
                      -1);
        return start.data() + measurement(bytes, 1) + measurement(bytes, inPlace) + "\n";
    }
    [[nodiscard]] std::string footer() const {
        return "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 110.464\n#\n# Collective test concluded: " +
               program + "\n#\n";
    }
    [[nodiscard]] std::string text() const {
        std::string text = header();
        for (double bytes = leastBytes; bytes <= mostBytes; bytes *= 4) text += row(bytes);
        return text + footer();
    }

private:
    [[nodiscard]] std::string measurement(double bytes, double factor) const {
        const CollectiveShape shape = shapeOf(collective, ranks);
        const double micros = (shape.messages * alpha + shape.bytesShare * bytes * beta) * factor * 1e6;
        const double bandwidth = bytes / micros * 1e-3;
        std::array<char, 80> text{};
        std::snprintf(text.data(), text.size(),
                      micros < 1e4 ? "  %7.2f  %6.2f  %6.2f  %6g" : "  %7.0f  %6.2f  %6.2f  %6g", micros, bandwidth,
                      bandwidth * shape.bytesShare, 0.0);
        return text.data();
    }
};

}  // namespace dasgd::test
