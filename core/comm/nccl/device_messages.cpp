#include "core/comm/nccl/device_messages.h"

#include <torch/types.h>

#include <utility>
#include <vector>

namespace dasgd {

namespace {

// A host tensor like `tensor`; pinned where that is on a device, which makes the copy asynchronous.
at::Tensor hostTensorFor(const at::Tensor& tensor) {
    const auto options = at::TensorOptions(tensor.scalar_type()).pinned_memory(!tensor.is_cpu());
    return at::empty(tensor.sizes(), options);
}

class Arriving final : public Pending::Operation {
public:
    Arriving(std::shared_ptr<Operation> inner, at::Tensor host, at::Tensor tensor)
        : inner_(std::move(inner)), host_(std::move(host)), tensor_(std::move(tensor)) {}

    void wait() override {
        inner_->wait();
        std::call_once(copied_, [this] {
            const at::NoGradGuard guard;
            tensor_.copy_(host_, /*non_blocking=*/true);
        });
    }
    void waitForAny(const std::vector<Operation*>& operations) override { inner_->waitForAny(operations); }
    bool done() override { return inner_->done(); }
    bool cancel() override { return inner_->cancel(); }
    std::optional<Pending::Outcome> outcome() override { return inner_->outcome(); }
    void onEnd(std::function<void()> callback) override { inner_->onEnd(std::move(callback)); }

private:
    const std::shared_ptr<Operation> inner_;
    const at::Tensor host_, tensor_;
    std::once_flag copied_;
};

}  // namespace

DeviceMessages::~DeviceMessages() { fail("its communicator is closed"); }

Pending DeviceMessages::start(MessageCall call, std::string label) {
    return call.sends ? send(std::move(call), std::move(label)) : receive(std::move(call));
}

Pending DeviceMessages::send(MessageCall call, std::string label) {
    const at::NoGradGuard guard;
    const at::Tensor host = hostTensorFor(call.tensor);
    auto operation = std::make_shared<Completion>(
        Completion::Facts{.label = std::move(label), .launched = clock_.now(), .timeout = timeout_});
    Pending sent = Pending(operation).then([this, call, host] {
        MessageCall onward = call;
        onward.tensor = host;
        return control_.launch(std::move(onward));
    });
    {
        const std::lock_guard lock(mutex_);
        host.copy_(call.tensor, /*non_blocking=*/true);
        DeviceEvent copied = device_.record(compute_);
        // A message must not overtake another one.
        if (sending_ || !leaving_.empty() || !device_.hasPassed(copied)) {
            leaving_.push_back({std::move(copied), std::move(operation)});
            return sent;
        }
    }
    leave(*operation);
    return sent;
}

Pending DeviceMessages::receive(MessageCall call) {
    const at::Tensor tensor = call.tensor, host = hostTensorFor(tensor);
    call.tensor = host;
    return Pending(std::make_shared<Arriving>(control_.launch(std::move(call)).operation(), host, tensor));
}

void DeviceMessages::leave(Completion& operation) {
    operation.end({{operation.launched(), clock_.now()}, std::nullopt});
}

void DeviceMessages::poll() {
    std::vector<Leaving> copied;
    std::string failure;
    try {
        const std::lock_guard lock(mutex_);
        while (!leaving_.empty() && device_.hasPassed(leaving_.front().copied)) {
            sending_ = true;
            copied.push_back(std::move(leaving_.front()));
            leaving_.pop_front();
        }
    } catch (const DeviceError& error) {
        failure = error.what();
    }
    for (const Leaving& message : copied) leave(*message.operation);
    if (!copied.empty()) {
        const std::lock_guard lock(mutex_);
        sending_ = false;
    }
    if (!failure.empty()) fail(failure);
}

void DeviceMessages::fail(const std::string& reason) {
    std::deque<Leaving> lost;
    {
        const std::lock_guard lock(mutex_);
        lost.swap(leaving_);
    }
    for (const Leaving& message : lost) message.operation->fail(reason);
}

}  // namespace dasgd
