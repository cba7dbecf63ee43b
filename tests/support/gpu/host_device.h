// TensorDevice over the stand-in accelerator. Whoever reads what is still on its way, early, finds it missing: numbers
// depart when they are sent and arrive `lag` of them later, batches are copied when they are taken.
#pragma once

#include <ATen/core/grad_mode.h>

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/gpu/tensor_device.h"
#include "tests/support/gpu/host_accelerator.h"

namespace dasgd::test {

class HostDevice final : public TensorDevice {
public:
    // Treatment of the work that capture() is given. Refuses: capture() fails. Keeps: the work is kept and done at each
    // replay, which shows that a replay sees what the graph's inputs hold. Records: the operators that the calling
    // thread gives are recorded, which shows that the host has no part in a replay; those of a backward pass come from
    // a thread of autograd's.
    enum class Capture { Refuses, Keeps, Records };

    explicit HostDevice(Capture capture = Capture::Refuses, std::size_t lag = 3) : capture_(capture), lag_(lag) {}

    [[nodiscard]] at::Device device() const override { return kAccelerator; }
    [[nodiscard]] StreamHandle stream() const override { return nullptr; }
    void enter() override {
        const std::lock_guard lock(mutex_);
        entered_.insert(std::this_thread::get_id());
    }
    void prepare(at::ScalarType) override {}
    [[nodiscard]] std::unique_ptr<Arrival> bring(std::vector<at::Tensor> host) override {
        ++brought_;
        for (at::Tensor& tensor : host) tensor = tensor.pin_memory();
        return std::make_unique<LateArrival>(std::move(host));
    }
    [[nodiscard]] std::unique_ptr<Departure> send(const at::Tensor& scalar) override {
        return std::make_unique<LateDeparture>(*this, asHost(scalar).item<double>());
    }
    [[nodiscard]] Result<std::unique_ptr<CapturedWork>> capture(const std::function<void()>& work) override {
        if (capture_ == Capture::Refuses) return fail("operation not permitted when stream is capturing");
        if (capture_ == Capture::Keeps) {
            ++captured_;
            return std::unique_ptr<CapturedWork>(new KeptWork(*this, work));
        }
        auto operators = std::make_shared<RecordedOperators>();
        try {
            operators->record(work);
        } catch (const c10::Error& error) {
            return fail(error.what_without_backtrace());
        }
        ++captured_;
        return std::unique_ptr<CapturedWork>(new KeptWork(*this, [operators] { operators->replay(); }));
    }
    [[nodiscard]] std::string memoryText() const override {
        return std::to_string(AcceleratorMemory::instance().used()) + " bytes are LibTorch's";
    }

    [[nodiscard]] std::set<std::thread::id> entered() {
        const std::lock_guard lock(mutex_);
        return entered_;
    }
    [[nodiscard]] int brought() const { return brought_; }
    [[nodiscard]] int captured() const { return captured_; }
    [[nodiscard]] int replayed() const { return replayed_; }

private:
    class LateArrival final : public Arrival {
    public:
        explicit LateArrival(std::vector<at::Tensor> host) : host_(std::move(host)) {}
        std::vector<at::Tensor> take() override {
            std::vector<at::Tensor> there;
            for (const at::Tensor& tensor : host_) {
                there.push_back(tensor.to(kAccelerator, tensor.scalar_type(), /*non_blocking=*/true, /*copy=*/true));
            }
            return there;
        }

    private:
        std::vector<at::Tensor> host_;
    };
    class LateDeparture final : public Departure {
    public:
        LateDeparture(HostDevice& device, double value) : device_(device), number_(device.sent_++), value_(value) {}
        bool ready() override { return device_.sent_ - number_ > device_.lag_; }
        double read() override {
            if (!ready()) HostWaits::add("a departed number");
            return value_;
        }

    private:
        HostDevice& device_;
        std::size_t number_;
        double value_;
    };
    class KeptWork final : public CapturedWork {
    public:
        KeptWork(HostDevice& device, std::function<void()> work) : device_(device), work_(std::move(work)) {}
        void replay() override {
            ++device_.replayed_;
            work_();
        }

    private:
        HostDevice& device_;
        std::function<void()> work_;
    };

    const Capture capture_;
    const std::size_t lag_;
    std::size_t sent_ = 0;
    int brought_ = 0, captured_ = 0, replayed_ = 0;
    std::mutex mutex_;
    std::set<std::thread::id> entered_;
};

}  // namespace dasgd::test
