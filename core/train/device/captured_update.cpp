#include "core/train/device/captured_update.h"

#include <torch/types.h>

#include <utility>

#include "core/base/log.h"

namespace dasgd {

CapturedUpdate::CapturedUpdate(TensorDevice& device, Optimizer& optimizer, const std::string& name, FlatParams& params,
                               std::function<void(const std::string&)> note)
    : device_(device),
      optimizer_(optimizer),
      name_(name),
      params_(params),
      note_(std::move(note)),
      steady_(dynamic_cast<SteadyStep*>(&optimizer)) {}

void CapturedUpdate::isMadeBy(const std::string& name) { refuse(name + " makes it itself"); }

void CapturedUpdate::refuse(const std::string& why) {
    if (std::exchange(refused_, true)) return;
    const std::string text =
        "cuda_graph leaves the update out: " + why + ". It is given to the device kernel by kernel";
    note_(text);
    logLine(LogLevel::Warning, text);
}

void CapturedUpdate::step(double learningRate, bool capture) {
    if (capture && !work_ && !refused_) this->capture();
    if (!work_ || !steady_->isSteady()) return optimizer_.step(params_, learningRate);
    rate_.fill_(learningRate);
    work_->replay();
}

void CapturedUpdate::capture() {
    if (!steady_) return refuse("the optimiser '" + name_ + "' computes with its learning rate on the host");
    if (params_.weights().scalar_type() == at::kDouble) {
        return refuse("the learning rate of a captured step is a float32, and the weights are float64");
    }
    if (!steady_->isSteady()) return;
    rate_ = at::empty({}, params_.weights().options().dtype(at::kFloat));
    auto made = device_.capture([this] { steady_->steadyStep(params_, rate_); });
    if (!made) return refuse("it cannot be captured (" + made.error().message + ")");
    work_ = std::move(*made);
}

}  // namespace dasgd
