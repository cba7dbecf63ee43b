// Share of a step's time in which the step waits for its batch, where threads decode and augment images in the
// background: a generated folder of JPEG files of 500 x 375 pixels, crops of 224 x 224, and a step that computes for a
// given time on one thread.
//   loader_bench [THREADS] [STEP_MS] [BATCH]     default: 2, 400, 32
// Prints the images a second that one thread decodes, the share with threads, and that of a step that makes its own
// batch. Threads that share their core with the step slow it down: take a machine with at least THREADS + 1 free cores.
#include <c10/util/ParallelGuard.h>
#include <torch/types.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "core/datasets/dataset.h"
#include "core/datasets/loader.h"
#include "tests/support/document.h"
#include "tests/support/image_files.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace dasgd;
using Clock = std::chrono::steady_clock;

constexpr int kFilesPerClass = 64;
constexpr int kWarmUp = 4;
constexpr int kSteps = 40;

double secondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

Samples makeImages(const test::TempDir& folder) {
    torch::manual_seed(1);
    for (const char* split : {"train", "val"}) {
        for (const char* name : {"a", "b"}) {
            std::filesystem::create_directories(folder.path() / split / name);
            for (int i = 0; i < kFilesPerClass; ++i) {
                // Smooth shapes with some noise: about the size of a photograph's file.
                std::vector<std::uint8_t> pixels = test::gradient(500, 375);
                const at::Tensor noise =
                    torch::randint(0, 24, {static_cast<std::int64_t>(pixels.size())}, torch::kByte);
                const auto* add = noise.const_data_ptr<std::uint8_t>();
                for (std::size_t p = 0; p < pixels.size(); ++p)
                    pixels[p] = static_cast<std::uint8_t>(pixels[p] / 2 + add[p]);
                folder.write(std::string(split) + "/" + name + "/" + std::to_string(i) + ".jpg",
                             test::jpegOf(500, 375, pixels));
            }
        }
    }
    const auto set = DatasetRegistry::find("image-folder")
                         ->create(test::table({{"path", test::text(folder.path().string())}}), {})
                         .value();
    return set->load({.shape = {3, 224, 224}, .classes = 2}).value().train;
}

// Multiplies matrices for about `seconds`.
void compute(double seconds) {
    const c10::ParallelGuard serial(true);
    static const at::Tensor factor = torch::rand({256, 256});
    const auto begin = Clock::now();
    while (secondsSince(begin) < seconds) static_cast<void>(factor.mm(factor));
}

struct Shares {
    double waited = 0, steps = 0;
};

Shares waitedShare(Samples samples, int threads, std::int64_t batch, double stepSeconds) {
    samples.loading = {threads, 4};
    BatchLoader loader(samples, torch::kFloat, [&, next = std::int64_t{0}]() mutable -> std::optional<BatchOrder> {
        const at::Tensor indices = torch::arange(next, next + batch, torch::kInt64).remainder(samples.count());
        next += batch;
        return BatchOrder{indices, static_cast<std::uint64_t>(next)};
    });
    Shares shares;
    for (int step = -kWarmUp; step < kSteps; ++step) {
        const auto begin = Clock::now();
        static_cast<void>(loader.take(batch));
        const double waited = secondsSince(begin);
        compute(stepSeconds);
        if (step < 0) continue;
        shares.waited += waited;
        shares.steps += secondsSince(begin);
    }
    return shares;
}

}  // namespace

int main(int count, char** words) {
    const int threads = count > 1 ? std::atoi(words[1]) : 2;
    const double stepSeconds = (count > 2 ? std::atof(words[2]) : 400) * 1e-3;
    const std::int64_t batch = count > 3 ? std::atoll(words[3]) : 32;
    const test::TempDir folder;
    const Samples samples = makeImages(folder);
    const Shares alone = waitedShare(samples, 0, batch, stepSeconds);
    const Shares ahead = waitedShare(samples, threads, batch, stepSeconds);
    std::printf("one thread decodes %.0f images/s\n", static_cast<double>(kSteps * batch) / alone.waited);
    std::printf("share of the step's time in `data`: %.2f %% with %d threads, %.2f %% without; %d steps each\n",
                100 * ahead.waited / ahead.steps, threads, 100 * alone.waited / alone.steps, kSteps);
}
