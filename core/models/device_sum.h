// A sum over samples that stays on the device on which the model computes.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/full.h>

namespace dasgd {

// A sum in double. Sums of tensors on the CPU are numbers at once. Sums of a device's tensors stay on the device:
// adding does not wait, reading does.
class DeviceSum {
public:
    DeviceSum(double number = 0) : number_(number) {}  // NOLINT: a number converts to a sum
    DeviceSum(const at::Tensor& scalar) {              // NOLINT: a tensor [] converts to a sum
        if (scalar.is_cpu()) {
            number_ = scalar.item<double>();
        } else {
            onDevice_ = scalar.to(at::kDouble);
        }
    }

    DeviceSum& operator+=(const DeviceSum& other) {
        number_ += other.number_;
        if (other.onDevice_.defined()) {
            onDevice_ = onDevice_.defined() ? at::add(onDevice_, other.onDevice_) : other.onDevice_;
        }
        return *this;
    }

    // Waits where the sum is on a device.
    operator double() const {  // NOLINT: the sum is used as a number
        return onDevice_.defined() ? number_ + onDevice_.item<double>() : number_;
    }
    // [] in double, on `device`; does not wait.
    [[nodiscard]] at::Tensor on(at::Device device) const {
        const at::Tensor number = at::full({}, number_, at::TensorOptions(at::kDouble).device(device));
        return onDevice_.defined() ? at::add(onDevice_, number) : number;
    }

private:
    double number_ = 0;
    at::Tensor onDevice_;
};

}  // namespace dasgd
