#include "core/train/device/device_check.h"

#include <gmock/gmock.h>

#include "tests/support/document.h"
#include "tests/support/gpu/host_device.h"
#include "tests/support/small_experiments.h"

namespace dasgd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "" where nothing is refused. `onGpus`: as if the backend had devices.
std::string refusal(const Value& document, bool onGpus) {
    Result<Experiment> experiment = readExperiment(document);
    if (!experiment) return experiment.error().message;
    experiment->layout.onGpus = onGpus;
    const Status status = checkDeviceSettings(document, *experiment);
    return status ? "" : status.error().message;
}

Value with(const std::string& key, Value value) {
    Value document = minimal();
    section(document, "train").set(key, std::move(value));
    return document;
}

TEST(DeviceCheck, SettingsOfGpusAreRefusedOnTheProcessor) {
    for (const char* key : {"tf32", "cuda_graph"}) {
        EXPECT_THAT(refusal(with(key, boolean(true)), false),
                    AllOf(HasSubstr(key), HasSubstr("'gloo' computes on the processor"), HasSubstr("nccl")));
        EXPECT_THAT(refusal(with(key, boolean(true)), true), IsEmpty());
        EXPECT_THAT(refusal(with(key, boolean(false)), false), IsEmpty());
    }
    Value data = minimal();
    section(data, "data").set("device_data", text("resident"));
    EXPECT_THAT(refusal(data, false), HasSubstr("device_data"));
    EXPECT_THAT(refusal(data, true), IsEmpty());
}

TEST(DeviceCheck, AutocastAndChannelsLastAreForBoth) {
    EXPECT_THAT(refusal(with("autocast", text("bfloat16")), false), IsEmpty());
    EXPECT_THAT(refusal(with("channels_last", boolean(true)), false), IsEmpty());
}

TEST(DeviceCheck, AutocastStartsFromFloat32) {
    Value document = with("autocast", text("bfloat16"));
    section(document, "train").set("precision", text("float64"));
    EXPECT_THAT(refusal(document, true), HasSubstr("precision is \"float64\""));
}

TEST(DeviceCheck, WhatAGraphCannotHoldIsRefused) {
    Value accumulates = with("cuda_graph", boolean(true));
    section(accumulates, "train").set("accumulate", integer(2));
    EXPECT_THAT(refusal(accumulates, true), HasSubstr("accumulate cuts it up"));

    Value buckets = with("cuda_graph", boolean(true));
    buckets.set("algorithm", named("sync_sgd"));
    EXPECT_THAT(refusal(buckets, true), HasSubstr("sync_sgd sends gradients"));

    Value first = with("cuda_graph", boolean(true));
    first.set("algorithm", table({{"name", text("local_sgd")}, {"sync_steps", integer(5)}}));
    EXPECT_THAT(refusal(first, true), HasSubstr("sync_steps"));

    Value bowl = quadratic();
    section(bowl, "train").set("cuda_graph", boolean(true));
    EXPECT_THAT(refusal(bowl, true), HasSubstr("'quadratic' takes none"));
}

TEST(DeviceCheck, OutOfMemorySaysWhatWasAskedForAndWhatIsThere) {
    HostDevice device;
    const std::string text =
        outOfMemoryText("the forward pass",
                        "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79", &device);
    EXPECT_THAT(text, AllOf(HasSubstr("the forward pass"), HasSubstr("2.50 GiB were asked for"), HasSubstr("xpu:0"),
                            HasSubstr("bytes are LibTorch's"), HasSubstr("batch_size")));
    EXPECT_THAT(outOfMemoryText("an update", "std::bad_alloc", nullptr), HasSubstr("std::bad_alloc"));
}

// The text is LibTorch's own, of a product with no room for its result.
TEST(DeviceCheck, OutOfMemoryNamesTheOperatorWhoseTensorItWas) {
    HostDevice device;
    const at::Tensor column = at::ones({1'000, 1}, device.device()), row = at::ones({1, 1'000}, device.device());
    AcceleratorMemory& memory = AcceleratorMemory::instance();
    memory.limit = memory.used() + 1'000'000;
    std::string text;
    try {
        at::matmul(column, row);
    } catch (const c10::OutOfMemoryError& error) {
        text = outOfMemoryText("the forward pass", error.what(), &device);
    }
    memory.limit = ~std::size_t{0};
    EXPECT_THAT(text, HasSubstr("out of memory in the forward pass: "));
    EXPECT_THAT(text, HasSubstr("were asked for by the operator mm; on xpu:0"));
}

}  // namespace
}  // namespace dasgd::test
