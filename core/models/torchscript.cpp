// A network that its author wrote in Python and saved with torch.jit.script(net).save("net.pt"), trained here: a
// function from a batch of inputs to outputs, with the loss of its task.
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/graph_iterator.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/headeronly/version.h>

#include <filesystem>
#include <optional>

#include "core/models/classifier.h"
#include "core/models/default_generator.h"
#include "core/models/script_trial.h"

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

// The first sentence of a reason, without the position in LibTorch's own source; the rest is of no use here.
std::string firstSentence(std::string reason) {
    constexpr std::string_view kPlace = "[enforce fail at ", kPlaceEnd = "] . ";
    const auto end = reason.find(kPlaceEnd);
    if (reason.starts_with(kPlace) && end != std::string::npos) reason.erase(0, end + kPlaceEnd.size());
    return reason.substr(0, reason.find(". "));
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

// True where a pass sets an attribute, as self.calls += 1 does: the next pass may compute with it.
bool setsAttributes(const torch::jit::Module& script) {
    auto graph = script.get_method("forward").graph()->copy();
    torch::jit::Inline(*graph);
    torch::jit::DepthFirstGraphNodeIterator nodes(graph);
    for (const torch::jit::Node* node = nodes.next(); node; node = nodes.next()) {
        if (node->kind() == torch::jit::prim::SetAttr) return true;
    }
    return false;
}

class ScriptNetwork final : public Network {
public:
    // `random`: where the script draws random numbers, the stream that it draws from.
    ScriptNetwork(torch::jit::Module script, std::optional<at::Generator> random)
        : script_(std::move(script)), random_(std::move(random)), setsAttributes_(dasgd::setsAttributes(script_)) {
        adopt(*this, script_);
        script_.train(true);  // the mode of this module, whatever mode it was saved in
    }
    at::Tensor forward(at::Tensor x) override {
        moveTensorsTo(x.device());
        if (!random_ || !is_training()) return script_.forward({std::move(x)}).toTensor();
        const DefaultGeneratorScope own(*random_);
        return script_.forward({std::move(x)}).toTensor();
    }
    // True because its draws come from another stream each time.
    [[nodiscard]] bool isStateful() const override { return random_.has_value() || setsAttributes_; }
    void train(bool on) override {
        torch::nn::Module::train(on);
        script_.train(on);
    }

private:
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
    const bool setsAttributes_;
    at::Device device_ = at::kCPU;
};

class TorchScript final : public NetworkModel {
public:
    explicit TorchScript(const TorchScriptParams& params)
        : NetworkModel({naturalInputFor(params.task).task}), params_(params), path_(params.path) {}
    InputSpec naturalInput() const override { return naturalInputFor(params_.task); }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        DASGD_ASSIGN(torch::jit::Module script, load());
        // The trial gets a copy of its own: it leaves gradients and statistics behind.
        DASGD_ASSIGN(torch::jit::Module copy, load());
        // Ranks that are threads build one after the other; the check before the run and the first rank do the whole
        // trial.
        ScriptTrial trial{
            .path = path_, .input = context.input, .type = context.type, .repeated = context.rank != Rank(0)};
        for (const torch::jit::Module& one : {script, copy}) DASGD_TRY(prepareScript(path_, one, context.type));
        DASGD_TRY(trial.run(std::move(copy)));
        return std::make_shared<ScriptNetwork>(std::move(script),
                                               trial.drawsRandomNumbers ? std::optional(context.random) : std::nullopt);
    }

private:
    Result<torch::jit::Module> load() const {
        std::error_code code;
        const auto status = std::filesystem::status(path_, code);
        if (!std::filesystem::is_regular_file(status)) {
            std::string problem = "this is not a regular file";
            if (status.type() == std::filesystem::file_type::not_found) {
                problem = "there is no such file";
            } else if (code) {
                problem = "it cannot be read (" + code.message() + ")";
            }
            return fail(path_ + ": " + problem + ". model.path must name what torch.jit.script(net).save(path) wrote");
        }
        try {
            return torch::jit::load(path_, at::Device(at::kCPU));
        } catch (const std::exception& error) {
            return fail(
                path_ + " is no TorchScript file that this version of LibTorch reads (" +
                firstSentence(reasonOf(error)) +
                "). Write it with torch.jit.script(net).save(path), not with torch.save, in PyTorch " TORCH_VERSION
                " or before");
        }
    }

    TorchScriptParams params_;
    std::string path_;
};

const ModelRegistry::Add<TorchScript, TorchScriptParams> kTorchScriptEntry{
    "torchscript", "A network saved from Python by torch.jit.script(net).save(path)"};

}  // namespace
}  // namespace dasgd
