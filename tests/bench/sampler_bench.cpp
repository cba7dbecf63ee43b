// Time to draw a sample by importance and to renew its number, for each form of data.sampler = "srg". Half of the draws
// are renewed, as the default floor has it; numbers are lognormal. The number of samples may be given.
//
//   build/release/tests/bench/sampler_bench 1000000
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "core/datasets/sampling/srg_sampler.h"

int main(int argc, char** argv) {
    const long samples = argc > 1 ? std::atol(argv[1]) : 1'000'000;
    if (argc > 2 || samples < 1) {
        std::fprintf(stderr, "sampler_bench [samples]\n");
        return 2;
    }
    std::mt19937_64 random(1);
    std::lognormal_distribution<double> any(0, 1);
    std::vector<double> norms(static_cast<std::size_t>(samples));
    for (double& norm : norms) norm = any(random);
    constexpr int kDraws = 500'000;
    std::vector<double> uniform(2 * kDraws), renewed(kDraws);
    for (double& value : uniform) value = static_cast<double>(random() >> 11) * 0x1p-53;
    for (double& value : renewed) value = any(random);
    for (const char* name : {"mixture", "threshold"}) {
        const auto form = dasgd::makeSrgForm(name, norms, 0.5);
        double weights = 0;  // printed, so that nothing is left out as unused
        for (const bool renewsAll : {false, true}) {
            const auto begin = std::chrono::steady_clock::now();
            for (int i = 0; i < kDraws; ++i) {
                const auto place = static_cast<std::size_t>(i);
                const auto draw = form->draw(uniform[2 * place], uniform[2 * place + 1]);
                weights += 1 / form->probability(draw.sample);
                if (!draw.renews && !renewsAll) continue;
                form->setNorm(draw.sample, renewed[place]);
            }
            const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
            std::printf("%-9s %ld samples: %.2f us a draw, %s renewed; mean weight %.3f\n", name, samples,
                        spent.count() / kDraws, renewsAll ? "each" : "half of them",
                        weights / kDraws / static_cast<double>(samples));
            weights = 0;
        }
    }
}
