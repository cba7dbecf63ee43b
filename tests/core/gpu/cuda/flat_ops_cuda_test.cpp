// The operators over flat tensors on the GPU of this machine, against those of the CPU; skipped where there is none.
// The test of their registration needs no GPU, but LibTorch's CUDA libraries.
#include "core/gpu/cuda/flat_ops_cuda.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/gpu/flat_ops.h"
#include "core/gpu/tensor_device_library.h"

namespace dasgd::test {
namespace {

TEST(CudaFlatOps, AreRegisteredByTheModule) {
    const auto module = tensorDeviceModule();
    ASSERT_TRUE(module) << module.error().message;
    if (const Status loaded = loadTensorDeviceModule(*module); !loaded) GTEST_SKIP() << loaded.error().message;
    // The call makes the program link the library that declares the operators.
    mergeFlat(at::empty({0}), at::empty({0}), {}, 0, 0);
    for (const char* name :
         {"dasgd::snapshot_", "dasgd::snapshot_at_", "dasgd::combine_", "dasgd::sum_", "dasgd::merge_",
          "dasgd::merge_at_", "dasgd::outer_step_to_mean_", "dasgd::outer_step_late_"}) {
        const auto found = c10::Dispatcher::singleton().findSchema({name, ""});
        ASSERT_TRUE(found) << name;
        EXPECT_TRUE(found->hasKernelForDispatchKey(c10::DispatchKey::CUDA)) << name;
    }
}

class CudaFlatOpsTest : public testing::TestWithParam<at::ScalarType> {
protected:
    void SetUp() override {
        if (const auto devices = usableTensorDevices(); !devices) GTEST_SKIP() << devices.error().message;
        auto opened = openTensorDevice(0);
        ASSERT_TRUE(opened) << opened.error().message;
        device_ = std::move(*opened);
    }
    // A tensor of the CPU and its copy on the GPU, aligned for packs or not.
    struct Pair {
        at::Tensor host, device;
    };
    Pair pair(std::int64_t size, std::uint64_t seed, bool aligned) {
        at::Generator random = at::detail::createCPUGenerator(seed);
        const at::Tensor host = at::randn({size + 1}, random, GetParam());
        const std::int64_t from = aligned ? 0 : 1;
        return {host.narrow(0, from, size).clone(), host.to(device_->device()).narrow(0, from, size)};
    }
    void expectEqual(const Pair& pair) {
        const double tolerance = GetParam() == at::kBFloat16 ? 0.05 : GetParam() == at::kFloat ? 1e-6 : 1e-14;
        EXPECT_TRUE(at::allclose(pair.device.cpu(), pair.host, tolerance, tolerance));
    }
    // A sum whose terms have this `magnitude` together. On the way the processor rounds to the tensors' type as often
    // as there are operators, a kernel once: each time by half a unit of the last place of what there is then.
    void expectSum(const Pair& pair, const at::Tensor& magnitude, int roundings) {
        const double unit = GetParam() == at::kBFloat16 ? 0x1p-7 : GetParam() == at::kFloat ? 0x1p-23 : 0x1p-52;
        const at::Tensor apart = (pair.device.cpu().to(at::kDouble) - pair.host.to(at::kDouble)).abs();
        EXPECT_TRUE((apart <= roundings * unit / 2 * magnitude).all().item<bool>());
    }
    std::unique_ptr<TensorDevice> device_;
};

TEST_P(CudaFlatOpsTest, ComputeWhatTheCpuDoes) {
    for (const std::int64_t size : {0, 1, 7, 100'003}) {
        for (const bool aligned : {true, false}) {
            const Pair out = pair(size, 1, aligned), copy = pair(size, 2, aligned), velocity = pair(size, 3, aligned);
            const Pair weights = pair(size, 4, aligned), outer = pair(size, 5, aligned);
            snapshotFlat(weights.host, out.host, copy.host, 1.0 / 3);
            snapshotFlat(weights.device, out.device, copy.device, 1.0 / 3);
            expectEqual(out);
            expectEqual(copy);
            for (const auto& [xi, c] : {std::pair{0.0, 0.0}, {0.25, 0.0}, {0.25, 1.0}, {0.25, 0.5}}) {
                const Pair mean = pair(size, 6, aligned);
                mergeFlat(weights.host, mean.host, copy.host, xi, c);
                mergeFlat(weights.device, mean.device, copy.device, xi, c);
                expectEqual(weights);
                const Pair own = pair(size, 10, aligned), left = pair(size, 11, aligned),
                           right = pair(size, 12, aligned);
                const Pair whole = pair(size, 13, aligned);
                at::Tensor magnitude = at::zeros({size}, at::kDouble);
                for (const Pair& each : {own, left, right, whole, copy}) magnitude += each.host.to(at::kDouble).abs();
                mergeFlat(whole.host, own.host, copy.host, xi, c, {left.host, right.host});
                mergeFlat(whole.device, own.device, copy.device, xi, c, {left.device, right.device});
                expectSum(whole, magnitude, 16);
            }
            const OuterStep step{.learningRate = 0.7, .momentum = 0.9, .nesterov = true, .localWeight = 0.5};
            const Pair mean = pair(size, 7, aligned), late = pair(size, 8, aligned), own = pair(size, 9, aligned);
            outerStepToMeanFlat(outer.host, mean.host, velocity.host, weights.host, step);
            outerStepToMeanFlat(outer.device, mean.device, velocity.device, weights.device, step);
            outerStepLateFlat(outer.host, late.host, velocity.host, weights.host, step,
                              {.share = 0.3, .own = own.host});
            outerStepLateFlat(outer.device, late.device, velocity.device, weights.device, step,
                              {.share = 0.3, .own = own.device});
            for (const Pair& moved : {outer, velocity, weights, late, own}) expectEqual(moved);
        }
    }
}

TEST_P(CudaFlatOpsTest, CombineAsTheCpuDoes) {
    for (const std::int64_t size : {0, 7, 100'003}) {
        for (const bool aligned : {true, false}) {
            std::vector<FlatTerm> host, device;
            std::vector<Pair> x;
            at::Tensor magnitude = at::zeros({size}, at::kDouble);
            for (int j = 0; j < 4; ++j) {
                x.push_back(pair(size, 10 + static_cast<std::uint64_t>(j), aligned));
                magnitude += (0.5 + j) * x.back().host.to(at::kDouble).abs();
                host.push_back({x.back().host, 0.5 + j});
                device.push_back({x.back().device, 0.5 + j});
            }
            const Pair copy = pair(size, 2, aligned), out = pair(size, 3, aligned);
            combineFlat(host, {.out = x[0].host, .scale = 0.3, .copy = copy.host});
            combineFlat(device, {.out = x[0].device, .scale = 0.3, .copy = copy.device});
            expectSum(x[0], magnitude, 10);
            expectSum(copy, magnitude, 10);
            host[0].x = copy.host;
            device[0].x = copy.device;
            magnitude = 3 * magnitude + out.host.to(at::kDouble).abs();
            combineFlat(host, {.out = out.host, .scale = 0.3, .copy = copy.host, .base = out.host, .share = -2});
            combineFlat(device,
                        {.out = out.device, .scale = 0.3, .copy = copy.device, .base = out.device, .share = -2});
            expectSum(out, magnitude, 12);
            expectSum(copy, magnitude, 12);
        }
    }
}

TEST_P(CudaFlatOpsTest, AddUpAsTheCpuDoes) {
    for (const std::int64_t size : {0, 7, 100'003}) {
        for (const bool aligned : {true, false}) {
            std::vector<at::Tensor> host, device;
            // More terms than one kernel takes.
            for (std::uint64_t j = 0; j < 70; ++j) {
                const Pair x = pair(size, 10 + j, aligned);
                host.push_back(x.host);
                device.push_back(x.device);
            }
            for (const std::size_t count : {70, 3, 1}) {
                host.resize(count);
                device.resize(count);
                at::Tensor magnitude = at::zeros({size}, at::kDouble);
                for (const at::Tensor& x : host) magnitude += x.to(at::kDouble).abs();
                const Pair copy = pair(size, 2, aligned), out{host[0], device[0]};
                sumFlat(host, {.out = out.host, .scale = 0.25, .divisor = 0.7, .copy = copy.host});
                sumFlat(device, {.out = out.device, .scale = 0.25, .divisor = 0.7, .copy = copy.device});
                const int roundings = 2 * static_cast<int>(count) + 4;
                expectSum(out, magnitude / 0.7, roundings);
                expectSum(copy, magnitude, roundings);
                device[0].copy_(host[0]);  // what the sum began with is one of the next one's terms
            }
        }
    }
}

TEST_P(CudaFlatOpsTest, ReadAndWriteAtPlaces) {
    const Pair weights = pair(100'003, 1, true);
    const at::Tensor places = at::arange(3, 100'003, 7, at::kLong), there = places.to(device_->device());
    for (const bool aligned : {true, false}) {
        const Pair out = pair(places.numel(), 2, aligned), copy = pair(places.numel(), 3, aligned);
        snapshotFlatAt(weights.host, places, out.host, copy.host, 1.0 / 3);
        snapshotFlatAt(weights.device, there, out.device, copy.device, 1.0 / 3);
        expectEqual(out);
        expectEqual(copy);
        mergeFlatAt(weights.host, places, out.host, copy.host);
        mergeFlatAt(weights.device, there, out.device, copy.device);
        expectEqual(weights);
    }
}

TEST_P(CudaFlatOpsTest, RefuseTensorsThatDoNotGoTogether) {
    const Pair one = pair(8, 1, true), other = pair(9, 2, true);
    EXPECT_THROW(mergeFlat(one.device, other.device, {}, 0, 0), c10::Error);
    EXPECT_THROW(mergeFlat(one.device, one.host, {}, 0, 0), c10::Error);
    EXPECT_THROW(combineFlat({{one.device}, {other.device}}, {.out = one.device}), c10::Error);
    EXPECT_THROW(mergeFlatAt(one.device, at::arange(8, at::kLong), one.device, one.device), c10::Error);
}

INSTANTIATE_TEST_SUITE_P(Types, CudaFlatOpsTest, testing::Values(at::kFloat, at::kDouble, at::kBFloat16));

}  // namespace
}  // namespace dasgd::test
