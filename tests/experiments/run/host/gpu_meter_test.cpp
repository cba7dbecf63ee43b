// Metrics of GPUs, from a library that the test makes up.
#include "experiments/run/host/gpu_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/run/host/system_metrics.h"

namespace dasgd::experiments {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// Two GPUs: the first knows everything but NVLink, the second only its memory.
struct TwoGpus {
    int started = 0;
    int devices[2]{};
    unsigned long long pcieSent = 1'000'000;

    Nvml nvml() {
        const auto ofFirst = [this](void* device) { return device == &devices[0] ? 0 : 3; };  // 3: not supported
        return {.init = [this] { return ++started, 0; },
                .shutdown = [this] { return --started, 0; },
                .count = [](unsigned int* count) { return *count = 2, 0; },
                .handle = [this](unsigned int index, void** device) { return *device = &devices[index], 0; },
                .name = [](void*, char*, unsigned int) { return 0; },
                .memory =
                    [](void*, Nvml::Memory* memory) {
                        return *memory = {100, 60, 40}, 0;
                    },
                .utilization =
                    [=](void* device, Nvml::Utilization* use) {
                        return *use = {75, 20}, ofFirst(device);
                    },
                .power = [=](void* device, unsigned int* milliwatts) { return *milliwatts = 350'500, ofFirst(device); },
                .temperature = [=](void* device, int sensor,
                                   unsigned int* celsius) { return *celsius = 61, ofFirst(device) + sensor; },
                .fields =
                    [this, ofFirst](void* device, int count, Nvml::Field* fields) {
                        for (Nvml::Field* field = fields; field < fields + count; ++field) fill(*field);
                        return ofFirst(device);
                    }};
    }
    void fill(Nvml::Field& field) const {
        field.status = field.id == Nvml::kNvlinkSentKib || field.id == Nvml::kNvlinkReceivedKib ? 3 : 0;
        field.type = field.id == Nvml::kPcieSent ? Nvml::kUnsignedLongLong : Nvml::kUnsignedInt;
        if (field.id == Nvml::kPcieSent) {
            field.ofUnsignedLongLong = pcieSent;
        } else {
            field.ofUnsignedInt = 7;
        }
    }
};

TEST(GpuMeter, TellsWhatEachGpuKnows) {
    TwoGpus two;
    {
        const GpuMeter meter(two.nvml());
        EXPECT_EQ(two.started, 1);
        const auto uses = meter.read();
        ASSERT_THAT(uses, SizeIs(2));
        EXPECT_THAT(uses[0].present, UnorderedElementsAre(Pair("memory_bytes", 40), Pair("utilization", 0.75),
                                                          Pair("power_w", 350.5), Pair("temperature_c", 61)));
        EXPECT_THAT(uses[0].bytesSoFar, UnorderedElementsAre(Pair("pcie_sent_bytes_per_s", 1'000'000),
                                                             Pair("pcie_received_bytes_per_s", 7)));
        EXPECT_THAT(uses[1].present, ElementsAre(Pair("memory_bytes", 40)));
        EXPECT_THAT(uses[1].bytesSoFar, IsEmpty());
        EXPECT_EQ(uses[1].metric("power_w"), "host/gpu1/power_w");
    }
    EXPECT_EQ(two.started, 0) << "the library was shut down";
}

TEST(GpuMeter, ALibraryThatDoesNotStartHasNoGpus) {
    TwoGpus two;
    Nvml broken = two.nvml();
    broken.init = [] { return 9; };  // NVML_ERROR_DRIVER_NOT_LOADED
    EXPECT_THAT(GpuMeter(broken).read(), IsEmpty());
    EXPECT_EQ(two.started, 0);
}

// A library of before NVLink has none of the newer functions.
TEST(GpuMeter, WhatTheLibraryLacksIsAbsent) {
    TwoGpus two;
    Nvml old = two.nvml();
    old.utilization = nullptr;
    old.power = nullptr;
    old.temperature = nullptr;
    old.fields = nullptr;
    const auto uses = GpuMeter(old).read();
    ASSERT_THAT(uses, SizeIs(2));
    EXPECT_THAT(uses[0].present, ElementsAre(Pair("memory_bytes", 40)));
}

class GpuSink : public storage::Recorder {
public:
    Result<storage::RanksEnd> finish(const std::string& status, const std::string& error) override {
        return storage::RanksEnd{status, error};
    }
    void endedElsewhere(int, const std::string&) override {}
    void measured(int rank, const Metric& metric) override {
        EXPECT_EQ(rank, 0);
        if (metric.name.starts_with("host/gpu")) values.emplace(std::string(metric.name), metric.value);
    }
    [[nodiscard]] std::int64_t recordsStored() const override { return 0; }
    [[nodiscard]] std::string currentError() const override { return {}; }
    std::multimap<std::string, double> values;
};

TEST(SystemMetricsOfGpus, AreRecordedWithTheHosts) {
    TwoGpus two;
    SystemMetrics system({}, "lo", SystemMetrics::Host::Watched, two.nvml());
    GpuSink first, second, third;
    system.sample(1'000'000'000, 0, 0, first);
    EXPECT_EQ(first.values.count("host/gpu0/pcie_sent_bytes_per_s"), 0U) << "nothing to compare with";
    EXPECT_THAT(first.values, testing::Contains(Pair("host/gpu0/utilization", 0.75)));
    EXPECT_THAT(first.values, testing::Contains(Pair("host/gpu1/memory_bytes", 40)));
    two.pcieSent += 3'000'000;
    system.sample(3'000'000'000, 0, 0, second);
    EXPECT_THAT(second.values, testing::Contains(Pair("host/gpu0/pcie_sent_bytes_per_s", 1'500'000)));
    two.pcieSent = 5;
    system.sample(5'000'000'000, 0, 0, third);
    EXPECT_EQ(third.values.count("host/gpu0/pcie_sent_bytes_per_s"), 0U) << "the counter started again";
}

TEST(SystemMetricsOfGpus, AreTheFirstRanksOfAHost) {
    TwoGpus two;
    SystemMetrics system({}, "lo", SystemMetrics::Host::LeftOut, two.nvml());
    EXPECT_EQ(two.started, 0);
}

}  // namespace
}  // namespace dasgd::experiments
