// A network that its author wrote in Python and saved with torch.jit.script(net).save("net.pt"), trained here: a
// function from a batch of inputs to outputs, with the loss of its task.
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/print_handler.h>

#include <iostream>
#include <optional>
#include <set>
#include <stdexcept>

#include "core/models/classifier.h"
#include "core/models/common_pass_state.h"
#include "core/models/default_generator.h"
#include "core/models/script/foreign_code.h"
#include "core/models/script/script_file.h"
#include "core/models/script/script_nodes.h"
#include "core/models/script/script_trial.h"

namespace dasgd {
namespace {

struct TorchScriptParams {
    std::string path;
    std::string task = "classes";
    void visit(auto&& f) {
        f(path, "path",
          {.help = "The file that torch.jit.script(net).save(path) wrote; its weights are the initial ones, whatever "
                   "train.seed is"});
        f(task, "task",
          {.help = "What it learns, of data that have it: classes; values, by squared error; text, the next token at "
                   "each of the data.length places of a sample (64 where that is not set)",
           .choices = {"classes", "values", "text"}});
    }
    std::optional<FieldError> check() const {
        if (!path.empty()) return std::nullopt;
        return FieldError{"path", "torchscript needs a path: the file that torch.jit.script(net).save(path) wrote"};
    }
};

InputSpec naturalInputFor(const std::string& task) {
    if (task == "values") return {.shape = {8}, .classes = 1, .task = Task::kRegression};
    if (task == "text") return {.shape = {64}, .classes = 256, .task = Task::kLanguage};
    return {.shape = {1, 28, 28}, .classes = 10};
}

// Registers parameters and buffers of a script module, under their names, as those of `into`. Both hold the same
// tensors, so that the script computes with the memory that these are given later.
void adopt(torch::nn::Module& into, const torch::jit::Module& from) {
    for (const auto& parameter : from.named_parameters(false)) {
        into.register_parameter(parameter.name, parameter.value, parameter.value.requires_grad());
    }
    for (const auto& buffer : from.named_buffers(false)) into.register_buffer(buffer.name, buffer.value);
    for (const auto& child : from.named_children()) {
        auto node = std::make_shared<torch::nn::Module>(child.name);
        adopt(*node, child.value);
        into.register_module(child.name, std::move(node));
    }
}

// Attributes of a script, each by the module that has it and its place there.
struct Attribute {
    c10::intrusive_ptr<c10::ivalue::Object> module;
    std::size_t slot = 0;
    [[nodiscard]] const c10::IValue& value() const { return module->getSlot(slot); }
};

// The attributes that some function of the script gives another value, as self.calls += 1 does.
std::vector<Attribute> assignedAttributes(const torch::jit::Module& script) {
    std::set<std::pair<const c10::Type*, std::string>> assigned;
    for (torch::jit::Function* function : script._ivalue()->compilation_unit()->get_functions()) {
        forEachNode(*torch::jit::toGraphFunction(*function).graph()->block(), [&](const torch::jit::Node& node) {
            if (node.kind() != c10::prim::SetAttr) return;
            assigned.emplace(node.input(0)->type().get(), node.s(c10::attr::name));
        });
    }
    std::vector<Attribute> attributes;
    for (const auto& module : script.modules()) {
        const auto type = module.type();
        for (std::size_t slot = 0; slot < type->numAttributes(); ++slot) {
            if (!assigned.contains({type.get(), type->getAttributeName(slot)})) continue;
            attributes.push_back({module._ivalue(), slot});
        }
    }
    return attributes;
}

// Buffers that forward assigns, as self.mean = 0.9 * self.mean + …, would lose the tensor that is registered, which is
// averaged over the ranks, saved and restored. The script works on a copy of it, made before each pass, and what the
// pass leaves is copied back: autograd may hold on to either.
class AssignedBuffers {
public:
    // Before anything else knows the script's tensors.
    explicit AssignedBuffers(const std::vector<Attribute>& assigned) {
        for (const Attribute& attribute : assigned) {
            const auto type = attribute.module->type();
            if (!attribute.value().isTensor() || type->is_parameter(attribute.slot)) continue;
            buffers_.push_back({attribute, attribute.value().toTensor()});
        }
    }
    void lend() const {
        const at::NoGradGuard noGrad;
        for (const Buffer& buffer : buffers_) {
            buffer.place.module->setSlot(buffer.place.slot, buffer.registered.clone());
        }
    }
    // Throws std::runtime_error where a value has not the shape and the type of its buffer.
    void takeBack() const {
        const at::NoGradGuard noGrad;
        for (const Buffer& buffer : buffers_) {
            const at::Tensor& left = buffer.place.value().toTensor();
            const std::string name = buffer.place.module->type()->getAttributeName(buffer.place.slot);
            const std::string change =
                changeOfBuffer(name, buffer.registered.sizes().vec(), buffer.registered.scalar_type(), left);
            if (!change.empty()) throw std::runtime_error("the script gives " + change);
            buffer.registered.copy_(left);
        }
    }

private:
    struct Buffer {
        Attribute place;
        at::Tensor registered;
    };
    std::vector<Buffer> buffers_;
};

// Whole numbers and flags that forward sets: they go on from batch to batch, and a checkpoint holds them.
std::vector<Attribute> countersAmong(std::vector<Attribute> assigned) {
    std::erase_if(assigned, [](const Attribute& one) { return !one.value().isInt() && !one.value().isBool(); });
    return assigned;
}

class ScriptNetwork final : public Network {
public:
    // `random`: where the script draws random numbers, the stream that it draws from.
    ScriptNetwork(torch::jit::Module script, std::optional<at::Generator> random)
        : script_(std::move(script)),
          random_(std::move(random)),
          assigned_(assignedAttributes(script_)),
          buffers_(assigned_),
          counters_(countersAmong(assigned_)) {
        adopt(*this, script_);
        script_.train(true);  // the mode of this module, whatever mode it was saved in
    }
    at::Tensor forward(at::Tensor x) override {
        moveTensorsTo(x.device());
        buffers_.lend();
        at::Tensor outputs = outputsOf(std::move(x));
        buffers_.takeBack();
        return outputs;
    }
    // True because its draws come from another stream each time.
    [[nodiscard]] bool isStateful() const override { return random_.has_value() || !assigned_.empty(); }
    [[nodiscard]] std::vector<at::Tensor> passState() const override {
        if (counters_.empty()) return {};
        std::vector<std::int64_t> values;
        for (const Attribute& counter : counters_) {
            values.push_back(counter.value().isBool() ? static_cast<std::int64_t>(counter.value().toBool())
                                                      : counter.value().toInt());
        }
        return {torch::tensor(values, torch::kInt64)};
    }
    Status setPassState(const std::vector<at::Tensor>& state) override {
        if (state.empty()) return {};
        if (state.size() != 1 || state[0].numel() != static_cast<std::int64_t>(counters_.size())) {
            return fail("the saved state is of a script that counts other things than this one");
        }
        const at::Tensor values = state[0].to(at::kCPU, torch::kInt64).contiguous();
        for (std::size_t i = 0; i < counters_.size(); ++i) {
            const std::int64_t value = values.const_data_ptr<std::int64_t>()[i];
            const Attribute& counter = counters_[i];
            counter.module->setSlot(counter.slot,
                                    counter.value().isBool() ? c10::IValue(value != 0) : c10::IValue(value));
        }
        return {};
    }
    void train(bool on) override {
        torch::nn::Module::train(on);
        script_.train(on);
    }

private:
    at::Tensor outputsOf(at::Tensor x) {
        if (!random_ || !is_training()) return script_.forward({std::move(x)}).toTensor();
        const DefaultGeneratorScope own(*random_);
        return script_.forward({std::move(x)}).toTensor();
    }

    // Moves tensors that are neither parameters nor buffers, since no other code moves them.
    void moveTensorsTo(at::Device device) {
        if (device == device_) return;
        for (const auto& attribute : script_.named_attributes()) {
            if (!attribute.value.isTensor()) continue;
            const at::Tensor& tensor = attribute.value.toTensor();
            if (tensor.defined() && tensor.device() != device) tensor.set_data(tensor.to(device));
        }
        device_ = device;
    }

    torch::jit::Module script_;
    std::optional<at::Generator> random_;
    const std::vector<Attribute> assigned_;
    const AssignedBuffers buffers_;
    const std::vector<Attribute> counters_;
    at::Device device_ = at::kCPU;
};

class TorchScript final : public NetworkModel, public RunsForeignCode, public HasCommonPassState {
public:
    explicit TorchScript(const TorchScriptParams& params)
        : NetworkModel({naturalInputFor(params.task).task}), params_(params) {
        // Standard output belongs to the program, as in lines of --json.
        torch::jit::setPrintHandler([](const std::string& text) { std::cerr << text; });
    }
    InputSpec naturalInput() const override { return naturalInputFor(params_.task); }
    void tryWith(TryForeignCode attempt) override { attempt_ = std::move(attempt); }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        if (attempt_) {
            DASGD_TRY(attempt_({params_.path, params_.task, context.input, context.type}));
        }
        DASGD_ASSIGN(const ScriptFile file, ScriptFile::open(params_.path));
        DASGD_ASSIGN(torch::jit::Module script, file.load());
        DASGD_TRY(prepareScript(params_.path, script, context.type));
        std::optional<at::Generator> random;
        if (!attempt_) {
            DASGD_ASSIGN(const bool draws, tryHere(file, context));
            if (draws) random = context.random;
        }
        return std::make_shared<ScriptNetwork>(std::move(script), std::move(random));
    }

private:
    // Tries the script in this process; returns whether it draws random numbers.
    Result<bool> tryHere(const ScriptFile& file, const BuildContext& context) const {
        // The trial gets a copy of its own: it leaves gradients and statistics behind.
        DASGD_ASSIGN(torch::jit::Module copy, file.load());
        DASGD_TRY(prepareScript(params_.path, copy, context.type));
        // Ranks that are threads build one after the other; the check before the run and the first of them refuse.
        ScriptTrial trial{
            .path = params_.path, .input = context.input, .type = context.type, .repeated = context.rank != Rank(0)};
        DASGD_TRY(trial.run(std::move(copy)));
        return trial.drawsRandomNumbers;
    }

    TorchScriptParams params_;
    TryForeignCode attempt_;
};

const ModelRegistry::Add<TorchScript, TorchScriptParams> kTorchScriptEntry{
    "torchscript", "A network saved from Python by torch.jit.script(net).save(path)"};

}  // namespace
}  // namespace dasgd
