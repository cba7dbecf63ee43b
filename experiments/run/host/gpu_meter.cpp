#include "experiments/run/host/gpu_meter.h"

#include <array>
#include <optional>

namespace dasgd::experiments {

namespace {

void shutDown(const Nvml* nvml) {
    nvml->shutdown();
    delete nvml;
}

std::optional<double> valueOf(const Nvml::Field& field) {
    if (field.status != 0) return std::nullopt;
    switch (field.type) {
        case Nvml::kDouble: return field.ofDouble;
        case Nvml::kUnsignedInt: return field.ofUnsignedInt;
        case Nvml::kUnsignedLong: return static_cast<double>(field.ofUnsignedLong);
        case Nvml::kUnsignedLongLong: return static_cast<double>(field.ofUnsignedLongLong);
        default: return std::nullopt;
    }
}

void readCounters(const Nvml& nvml, void* device, GpuUse& use) {
    struct Counter {
        unsigned int id, scope;
        const char* metric;
        double bytes;  // of one count
    };
    constexpr std::array<Counter, 4> kCounters{
        {{Nvml::kNvlinkSentKib, Nvml::kAllLinks, "nvlink_sent_bytes_per_s", 1024},
         {Nvml::kNvlinkReceivedKib, Nvml::kAllLinks, "nvlink_received_bytes_per_s", 1024},
         {Nvml::kPcieSent, 0, "pcie_sent_bytes_per_s", 1},
         {Nvml::kPcieReceived, 0, "pcie_received_bytes_per_s", 1}}};
    if (!nvml.fields) return;
    std::array<Nvml::Field, kCounters.size()> fields{};
    for (std::size_t i = 0; i < fields.size(); ++i) {
        fields[i].id = kCounters[i].id;
        fields[i].scope = kCounters[i].scope;
    }
    if (nvml.fields(device, static_cast<int>(fields.size()), fields.data()) != 0) return;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (const auto count = valueOf(fields[i])) use.bytesSoFar[kCounters[i].metric] = *count * kCounters[i].bytes;
    }
}

GpuUse useOf(const Nvml& nvml, int index, void* device) {
    GpuUse use{.index = index};
    Nvml::Memory memory{};
    if (nvml.memory(device, &memory) == 0) use.present["memory_bytes"] = static_cast<double>(memory.used);
    Nvml::Utilization utilization{};
    if (nvml.utilization && nvml.utilization(device, &utilization) == 0) {
        use.present["utilization"] = utilization.gpu / 100.0;
    }
    unsigned int milliwatts = 0;
    if (nvml.power && nvml.power(device, &milliwatts) == 0) use.present["power_w"] = milliwatts / 1000.0;
    unsigned int celsius = 0;
    if (nvml.temperature && nvml.temperature(device, 0, &celsius) == 0) use.present["temperature_c"] = celsius;
    readCounters(nvml, device, use);
    return use;
}

}  // namespace

GpuMeter::GpuMeter(Nvml nvml) : nvml_(nullptr, shutDown) {
    if (nvml.init() != 0) return;
    nvml_.reset(new Nvml(std::move(nvml)));
    unsigned int count = 0;
    if (nvml_->count(&count) != 0) return;
    for (unsigned int index = 0; index < count; ++index) {
        void* device = nullptr;
        if (nvml_->handle(index, &device) == 0) devices_.emplace_back(static_cast<int>(index), device);
    }
}

std::vector<GpuUse> GpuMeter::read() const {
    std::vector<GpuUse> uses;
    for (const auto& [index, device] : devices_) {
        GpuUse use = useOf(*nvml_, index, device);
        if (!use.present.empty() || !use.bytesSoFar.empty()) uses.push_back(std::move(use));
    }
    return uses;
}

}  // namespace dasgd::experiments
