// Operators that are given to the stand-in accelerator, taken down instead of done, and done later: what a CUDA graph
// has. Whatever the host decided or counted when they were taken down stays as it was then.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/types.h>

#include <cstring>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace dasgd::test {

class RecordedOperators {
public:
    // Null: the calling thread's operators are done at once.
    static RecordedOperators*& ofThisThread() {
        static thread_local RecordedOperators* recording = nullptr;
        return recording;
    }
    // Fails as CUDA does where the host would have to wait for what has not been done.
    static void refuseToWait() { TORCH_CHECK(!ofThisThread(), "operation not permitted when stream is capturing"); }

    // Records the calling thread's operators. The shapes of results are known by doing the work: its memory is put
    // back.
    void record(const std::function<void()>& work) {
        struct Scope {
            explicit Scope(RecordedOperators* recording) { ofThisThread() = recording; }
            ~Scope() {
                for (const auto& [data, bytes] : ofThisThread()->before_) std::memcpy(data, bytes.data(), bytes.size());
                ofThisThread() = nullptr;
            }
        } const scope(this);
        work();
    }
    void replay() const {
        const at::NoGradGuard guard;
        for (const auto& operation : operations_) operation();
    }
    [[nodiscard]] std::size_t size() const { return operations_.size(); }

    // The accelerator calls these: before an operator touches a tensor, and with how it is done once more.
    void touches(const at::Tensor& tensor) {
        if (!tensor.defined() || tensor.storage().nbytes() == 0) return;
        const auto* data = static_cast<const char*>(tensor.storage().data());
        before_.try_emplace(tensor.storage().mutable_data(), data, data + tensor.storage().nbytes());
        kept_.push_back(tensor);
    }
    void touches(const std::vector<c10::IValue>& arguments) {
        for (const c10::IValue& argument : arguments) {
            for (const at::Tensor& tensor : tensorsOf(argument)) touches(tensor);
        }
    }
    void add(std::function<void()> operation) { operations_.push_back(std::move(operation)); }
    // Adds an operator; its results are those that later operators were given.
    void add(const c10::OperatorHandle& op, const std::vector<c10::IValue>& arguments,
             const std::vector<c10::IValue>& results) {
        add([op, arguments, results] {
            torch::jit::Stack stack(arguments.begin(), arguments.end());
            op.callBoxed(&stack);
            for (std::size_t i = 0; i < results.size(); ++i) {
                const auto given = tensorsOf(results[i]), made = tensorsOf(stack[i]);
                for (std::size_t j = 0; j < given.size(); ++j) {
                    if (!made[j].is_same(given[j])) at::Tensor(given[j]).copy_(made[j]);
                }
            }
        });
    }

private:
    static std::vector<at::Tensor> tensorsOf(const c10::IValue& value) {
        if (value.isTensor()) return {value.toTensor()};
        if (value.isTensorList()) return value.toTensorVector();
        return {};
    }

    std::vector<std::function<void()>> operations_;
    std::map<void*, std::vector<char>> before_;  // memory, as it was
    std::vector<at::Tensor> kept_;               // whose memory it is
};

}  // namespace dasgd::test
