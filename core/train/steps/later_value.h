// A number that is still being computed, read once, when it is needed. On a CPU it is ready at once; on a device when
// the preceding work has finished.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <utility>

#include "core/gpu/tensor_device.h"

namespace dasgd {

class LaterValue {
public:
    virtual ~LaterValue() = default;
    // True where read() would not wait.
    [[nodiscard]] virtual bool ready() = 0;
    // Waits where the value is not ready.
    [[nodiscard]] virtual double read() = 0;
};

// Value of `scalar` [] at this point, whatever its memory is used for later. `device`: the device it is on, which
// outlives the value; null: the CPU, where a scalar is written once.
[[nodiscard]] inline std::unique_ptr<LaterValue> laterValueOf(const at::Tensor& scalar, TensorDevice* device) {
    class Here final : public LaterValue {
    public:
        explicit Here(at::Tensor value) : value_(std::move(value)) {}
        [[nodiscard]] bool ready() override { return true; }
        [[nodiscard]] double read() override { return value_.item<double>(); }

    private:
        at::Tensor value_;
    };
    class Departed final : public LaterValue {
    public:
        explicit Departed(std::unique_ptr<Departure> value) : value_(std::move(value)) {}
        [[nodiscard]] bool ready() override { return value_->ready(); }
        [[nodiscard]] double read() override { return value_->read(); }

    private:
        std::unique_ptr<Departure> value_;
    };
    if (!device) return std::make_unique<Here>(scalar);
    return std::make_unique<Departed>(device->send(scalar));
}

}  // namespace dasgd
