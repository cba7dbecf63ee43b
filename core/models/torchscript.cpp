// A network that its author wrote in Python and saved with torch.jit.script(net).save("net.pt"), trained here: a batch
// of inputs to outputs, with the loss of the data's task.
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <filesystem>
#include <map>
#include <optional>

#include "core/models/classifier.h"
#include "core/models/default_generator.h"

namespace dasgd {
namespace {

struct TorchScriptParams {
    std::string path;
    void visit(auto&& f) { f(path, "path", {.help = "The file that torch.jit.script(net).save(path) wrote"}); }
    std::optional<FieldError> check() const {
        if (!path.empty()) return std::nullopt;
        return FieldError{"path", "torchscript needs a path: the file that torch.jit.script(net).save(path) wrote"};
    }
};

// The line of a TorchScript error that tells what went wrong; those around it are a traceback.
std::string reasonOf(const std::exception& error) {
    const std::string text = error.what();
    for (const std::string_view mark : {"RuntimeError: ", "Error: "}) {
        const auto found = text.rfind(mark);
        if (found != std::string::npos)
            return text.substr(found + mark.size(), text.find('\n', found) - found - mark.size());
    }
    return text.substr(0, text.find('\n'));
}

// Registers parameters and buffers of a script module, by their names, as those of `into`. Both hold the same tensors,
// so that the script computes with whatever memory these are given later.
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

// A file holds a tied parameter once for each module that has it, all with the same memory: makes them one tensor.
void tie(const torch::jit::Module& script) {
    std::map<std::pair<const void*, std::int64_t>, at::Tensor> known;
    for (const auto& module : script.modules()) {
        for (const auto& parameter : module.named_parameters(false)) {
            const at::Tensor& value = parameter.value;
            const auto [first, fresh] = known.try_emplace({value.const_data_ptr(), value.numel()}, value);
            if (!fresh && first->second.sizes() == value.sizes()) {
                torch::jit::Module(module).setattr(parameter.name, first->second);
            }
        }
    }
}

class ScriptNetwork final : public Network {
public:
    // `random`: where the script draws random numbers, the stream that it draws from.
    ScriptNetwork(torch::jit::Module script, std::optional<at::Generator> random)
        : script_(std::move(script)), random_(std::move(random)) {
        adopt(*this, script_);
        script_.train(true);  // as this module is, whatever the mode it was saved in
    }
    at::Tensor forward(at::Tensor x) override {
        if (!random_ || !is_training()) return script_.forward({std::move(x)}).toTensor();
        const DefaultGeneratorScope own(*random_);
        return script_.forward({std::move(x)}).toTensor();
    }
    void train(bool on) override {
        torch::nn::Module::train(on);
        script_.train(on);
    }

private:
    torch::jit::Module script_;
    std::optional<at::Generator> random_;
};

// What one step of a copy of the script tells of it.
class Trial {
public:
    Trial(const std::string& path, torch::jit::Module script, const InputSpec& input)
        : path_(path), script_(std::move(script)), input_(input) {}

    Status checkParameters() const {
        bool trains = false;
        for (const auto& parameter : script_.named_parameters()) {
            if (!at::isFloatingType(parameter.value.scalar_type())) {
                return fail(path_ + ": parameter " + parameter.name + " is of type " +
                            std::string(c10::toString(parameter.value.scalar_type())) +
                            "; only floating-point parameters can be trained. Make it a buffer");
            }
            trains = trains || parameter.value.requires_grad();
        }
        if (trains) return {};
        return fail(path_ +
                    " has no parameters that can be trained; was it frozen? Save it with torch.jit.script alone");
    }

    // Forward and backward on a batch of two.
    Status step() {
        const at::Tensor batch = someBatch();
        const auto version = batch._version();
        script_.train(true);
        const at::Tensor before = at::detail::getDefaultCPUGenerator().get_state();
        const torch::jit::IValue result = script_.forward({batch});
        draws_ = !before.equal(at::detail::getDefaultCPUGenerator().get_state());
        if (!result.isTensor()) {
            return fail(path_ + " returns " + result.tagKind() + "; forward must return one tensor of " + wantedText());
        }
        const at::Tensor& outputs = result.toTensor();
        const auto wanted = outputShape(input_, kTrialSamples);
        if (outputs.sizes() != at::IntArrayRef(wanted) || !outputs.is_floating_point()) {
            return fail(path_ + " makes " + shapeText(outputs.sizes().vec()) + " values of type " +
                        std::string(c10::toString(outputs.scalar_type())) + " of a batch of " +
                        std::to_string(kTrialSamples) + "; the data ask for " + wantedText());
        }
        if (batch._version() != version) {
            return fail(path_ + " changes its inputs in place, which are the data: work on a copy, as x = x.clone()");
        }
        if (!outputs.requires_grad()) {
            return fail(path_ + " makes outputs that depend on no parameter: is its forward under torch.no_grad()?");
        }
        outputs.sum().backward();
        return {};
    }

    // In training.
    [[nodiscard]] bool drawsRandomNumbers() const { return draws_; }
    [[nodiscard]] std::string batchText() const {
        std::vector<std::int64_t> sizes = input_.shape;
        sizes.insert(sizes.begin(), kTrialSamples);
        return shapeText(sizes);
    }

private:
    static constexpr std::int64_t kTrialSamples = 2;

    [[nodiscard]] at::Tensor someBatch() const {
        std::vector<std::int64_t> sizes = input_.shape;
        sizes.insert(sizes.begin(), kTrialSamples);
        if (input_.task == Task::kLanguage)
            return at::arange(elementCount(sizes)).remainder(input_.classes).view(sizes);
        return at::linspace(-1, 1, elementCount(sizes)).view(sizes);
    }
    [[nodiscard]] std::string wantedText() const {
        return shapeText(outputShape(input_, kTrialSamples)) + " floating-point values";
    }

    std::string path_;
    torch::jit::Module script_;
    InputSpec input_;
    bool draws_ = false;
};

class TorchScript final : public NetworkModel {
public:
    explicit TorchScript(const TorchScriptParams& params)
        : NetworkModel({Task::kClassification, Task::kRegression, Task::kLanguage}), path_(params.path) {}
    InputSpec naturalInput() const override { return {.shape = {1, 28, 28}, .classes = 10}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        DASGD_ASSIGN(torch::jit::Module script, load());
        // A copy of its own: a trial leaves gradients and statistics behind.
        DASGD_ASSIGN(torch::jit::Module copy, load());
        Trial trial(path_, std::move(copy), context.input);
        DASGD_TRY(trial.checkParameters());
        try {
            DASGD_TRY(trial.step());
        } catch (const std::exception& error) {
            return fail(path_ + " cannot be trained on a batch of " + trial.batchText() + ": " + reasonOf(error));
        }
        tie(script);
        return std::make_shared<ScriptNetwork>(
            std::move(script), trial.drawsRandomNumbers() ? std::optional(context.random) : std::nullopt);
    }

private:
    Result<torch::jit::Module> load() const {
        if (!std::filesystem::is_regular_file(path_)) {
            return fail(path_ +
                        ": there is no such file. model.path must name what torch.jit.script(net).save(path) wrote");
        }
        try {
            return torch::jit::load(path_, at::Device(at::kCPU));
        } catch (const std::exception& error) {
            return fail(path_ + " is no TorchScript file that this version of LibTorch reads (" + reasonOf(error) +
                        "). Write it with torch.jit.script(net).save(path), not with torch.save");
        }
    }

    std::string path_;
};

const ModelRegistry::Add<TorchScript, TorchScriptParams> kTorchScriptEntry{
    "torchscript", "A network saved from Python by torch.jit.script(net).save(path)"};

}  // namespace
}  // namespace dasgd
