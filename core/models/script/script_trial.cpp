#include "core/models/script/script_trial.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/interned_strings.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/types.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/models/classifier.h"
#include "core/models/script/script_file.h"

namespace dasgd {

namespace {

std::string typeText(const at::Tensor& tensor) { return c10::toString(tensor.scalar_type()); }

std::string joinedName(const std::string& module, const std::string& name) {
    return module.empty() ? name : module + "." + name;
}

// Visits the attributes of a module that hold values, that is, no parameters and no modules.
template <class Visit>
void forEachAttribute(const torch::jit::Module& script, Visit visit) {
    for (const auto& module : script.named_modules()) {
        const auto type = module.value.type();
        for (std::size_t slot = 0; slot < type->numAttributes(); ++slot) {
            if (type->is_parameter(slot) || type->getAttribute(slot)->is_module()) continue;
            visit(module.value, slot, joinedName(module.name, type->getAttributeName(slot)));
        }
    }
}

// Refuses tensors that ask for a gradient and are not registered: the engine trains registered parameters only, so any
// other tensor would keep the value that it has in the file.
Status checkAttributes(const std::string& path, const torch::jit::Module& script) {
    std::set<const c10::TensorImpl*> registered;
    for (const at::Tensor& parameter : script.parameters()) registered.insert(parameter.unsafeGetTensorImpl());
    std::string holder;
    forEachAttribute(script, [&](const torch::jit::Module& module, std::size_t slot, const std::string& name) {
        module._ivalue()->getSlot(slot).visit([&](const c10::IValue& part) {
            const bool left = part.isTensor() && part.toTensor().defined() && part.toTensor().requires_grad() &&
                              !registered.contains(part.toTensor().unsafeGetTensorImpl());
            if (left && holder.empty()) holder = name;
            return left;
        });
    });
    if (holder.empty()) return {};
    return fail(path + " keeps tensors that ask for a gradient in " + holder +
                ", which is no parameter, so that they would not be trained: make them a torch.nn.Parameter of the "
                "module, or a torch.nn.ParameterList, or detach them");
}

Status checkParameters(const std::string& path, const torch::jit::Module& script) {
    bool trains = false;
    for (const auto& parameter : script.named_parameters()) {
        if (!at::isFloatingType(parameter.value.scalar_type())) {
            return fail(path + ": parameter " + parameter.name + " is of type " + typeText(parameter.value) +
                        "; only floating-point parameters can be trained. Make it a buffer");
        }
        trains = trains || parameter.value.requires_grad();
    }
    if (trains) return {};
    return fail(path + " has no parameters that can be trained; was it frozen? Save it with torch.jit.script alone");
}

// Addresses of the tensor's first byte and of the byte after its last.
std::pair<std::uintptr_t, std::uintptr_t> bytesOf(const at::Tensor& tensor) {
    const auto begin = reinterpret_cast<std::uintptr_t>(tensor.const_data_ptr());
    std::int64_t last = 0;
    for (std::int64_t d = 0; d < tensor.dim(); ++d) last += (tensor.size(d) - 1) * tensor.stride(d);
    return {begin, begin + static_cast<std::uintptr_t>(last + 1) * tensor.element_size()};
}

// Refuses tensors that share memory without being the same tensor: once they are given memory of their own they would
// train apart.
Status checkMemory(const std::string& path, const torch::jit::Module& script) {
    std::vector<std::pair<std::string, at::Tensor>> tensors;
    for (const auto& parameter : script.named_parameters()) tensors.emplace_back(parameter.name, parameter.value);
    for (const auto& buffer : script.named_buffers()) tensors.emplace_back(buffer.name, buffer.value);
    std::erase_if(tensors, [](const auto& one) { return !one.second.defined() || one.second.numel() == 0; });
    std::ranges::stable_sort(tensors, {}, [](const auto& one) { return bytesOf(one.second).first; });
    for (std::size_t i = 1; i < tensors.size(); ++i) {
        const auto& [before, first] = tensors[i - 1];
        const auto& [name, second] = tensors[i];
        if (first.is_same(second) || bytesOf(first).second <= bytesOf(second).first) continue;
        if (!first.requires_grad() && !second.requires_grad()) continue;
        return fail(path + ": " + before + " of " + shapeText(first.sizes().vec()) + " and " + name + " of " +
                    shapeText(second.sizes().vec()) +
                    " share memory, but are not the same tensor, so that they would be trained apart. Keep one "
                    "parameter and make the other of it in forward, as self.weight.t()");
    }
    return {};
}

bool isSameView(const at::Tensor& one, const at::Tensor& other) {
    return one.sizes() == other.sizes() && one.strides() == other.strides() &&
           one.requires_grad() == other.requires_grad();
}

// The first tensor at each address. sameAs() returns it where `tensor` is the same view of it.
class KnownTensors {
public:
    void add(const at::Tensor& tensor) {
        if (tensor.numel() > 0) known_.try_emplace(tensor.const_data_ptr(), tensor);
    }
    [[nodiscard]] const at::Tensor* sameAs(const at::Tensor& tensor) const {
        if (!tensor.defined() || tensor.numel() == 0) return nullptr;
        const auto first = known_.find(tensor.const_data_ptr());
        return first != known_.end() && isSameView(first->second, tensor) ? &first->second : nullptr;
    }

private:
    std::map<const void*, at::Tensor> known_;
};

// Ties parameters, and lists of them: torch.nn.LSTM computes with such a list.
void tie(const torch::jit::Module& script) {
    KnownTensors known;
    for (const at::Tensor& parameter : script.parameters()) known.add(parameter);
    for (const auto& module : script.modules()) {
        for (const auto& parameter : module.named_parameters(false)) {
            if (const at::Tensor* first = known.sameAs(parameter.value)) {
                torch::jit::Module(module).setattr(parameter.name, *first);
            }
        }
    }
    forEachAttribute(script, [&](const torch::jit::Module& module, std::size_t slot, const std::string&) {
        const c10::IValue value = module._ivalue()->getSlot(slot);
        if (!value.isList()) return;
        c10::List<c10::IValue> list = value.toList();
        for (std::size_t i = 0; i < list.size(); ++i) {
            const c10::IValue element = list.get(i);
            const at::Tensor* first = element.isTensor() ? known.sameAs(element.toTensor()) : nullptr;
            if (first) list.set(i, *first);
        }
    });
}

void convert(const torch::jit::Module& script, at::ScalarType type) {
    const auto convertOne = [&](at::Tensor tensor) {
        if (tensor.is_floating_point() && tensor.scalar_type() != type) tensor.set_data(tensor.detach().to(type));
    };
    for (const at::Tensor& parameter : script.parameters()) convertOne(parameter);
    for (const at::Tensor& buffer : script.buffers()) convertOne(buffer);
}

bool isZero(const torch::jit::Value* value) {
    const auto known = torch::jit::toIValue(value);
    return known && known->isDouble() && known->toDouble() == 0;
}

bool isConstant(const torch::jit::Value* value) { return value->node()->kind() == c10::prim::Constant; }

// True where a number or a condition depends on the mode of a module. Tensors are not followed: in training nearly all
// depend on it.
bool followsMode(const torch::jit::Value* value, std::set<const torch::jit::Value*>& seen) {
    if (value->type()->kind() == c10::TypeKind::TensorType || !seen.insert(value).second) return false;
    const torch::jit::Node& node = *value->node();
    if (node.kind() == c10::prim::GetAttr) return node.s(c10::attr::name) == "training";
    for (const torch::jit::Value* input : node.inputs()) {
        if (followsMode(input, seen)) return true;
    }
    if (node.kind() != c10::prim::If) return false;
    for (const torch::jit::Block* branch : node.blocks()) {
        if (followsMode(branch->outputs()[value->offset()], seen)) return true;
    }
    return false;
}

bool followsMode(const torch::jit::Value* value) {
    std::set<const torch::jit::Value*> seen;
    return followsMode(value, seen);
}

// True for a call that does the same in evaluation and in training, because its mode is a constant. Calls without an
// effect are excepted: dropout with probability 0, and statistics of the batch where no others are kept.
// torch.nn.MultiheadAttention has the constant True, and in evaluation a probability of 0.
bool hasFixedMode(const torch::jit::Node& node) {
    const c10::FunctionSchema* schema = node.maybeSchema();
    if (!schema) return false;
    bool fixed = false;
    for (std::size_t i = 0; i < std::min(schema->arguments().size(), node.inputs().size()); ++i) {
        const std::string& name = schema->arguments()[i].name();
        const torch::jit::Value* value = node.inputs()[i];
        if ((name == "p" || name == "dropout") && (isZero(value) || followsMode(value))) return false;
        if (name == "running_mean" && value->mustBeNone()) return false;
        if (name == "dropout_p") fixed = fixed || (isConstant(value) && !isZero(value));
        if (name == "train" || name == "training") fixed = fixed || isConstant(value);
    }
    return fixed;
}

const torch::jit::Node* findFixedMode(const torch::jit::Block* block) {
    for (const torch::jit::Node* node : block->nodes()) {
        if (hasFixedMode(*node)) return node;
        // A branch on the mode, such as `if self.training:`.
        if (node->kind() == c10::prim::If && followsMode(node->inputs()[0])) continue;
        for (const torch::jit::Block* inner : node->blocks()) {
            if (const torch::jit::Node* found = findFixedMode(inner)) return found;
        }
    }
    return nullptr;
}

Status checkMode(const std::string& path, const torch::jit::Module& script) {
    const auto graph = script.get_method("forward").graph()->copy();
    torch::jit::Inline(*graph);
    const torch::jit::Node* node = findFixedMode(graph->block());
    if (!node) return {};
    return fail(path + " calls " + node->kind().toUnqualString() +
                " in a mode that is a constant, as torch.jit.trace leaves it: training and evaluation would be the "
                "same. Let forward go by self.training, and save it with torch.jit.script(net).save(path)");
}

bool areProbabilities(const at::Tensor& outputs) {
    constexpr double kRounding = 1e-3;
    const at::Tensor rows = outputs.detach().to(torch::kDouble);
    return rows.size(-1) > 1 && rows.ge(0).all().item<bool>() &&
           (rows.sum(-1) - 1).abs().max().item<double>() < kRounding;
}

// The attributes of a script before it computes. Afterwards buffers may have other values, and whole numbers
// and flags; anything else would be of one rank, and lost where a run stops.
class KeptState {
public:
    explicit KeptState(const torch::jit::Module& script) : script_(script) {
        for (const auto& parameter : script.named_parameters()) parameters_.push_back(parameter.value);
        for (const auto& buffer : script.named_buffers()) {
            buffers_.emplace_back(buffer.value.sizes().vec(), buffer.value.scalar_type());
        }
        forEachOther([this](const std::string&, const c10::IValue& value) { others_.push_back(pickled(value)); });
    }

    [[nodiscard]] Status check(const std::string& path) const {
        std::size_t at = 0;
        for (const auto& parameter : script_.named_parameters()) {
            if (parameter.value.is_same(parameters_[at++])) continue;
            return fail(path + " assigns its parameter " + parameter.name +
                        ", so that another tensor than the trained one computes: change it in place, or make it a "
                        "buffer");
        }
        at = 0;
        for (const auto& buffer : script_.named_buffers()) {
            const auto& [sizes, type] = buffers_[at++];
            const std::string change = changeOfBuffer(buffer.name, sizes, type, buffer.value);
            if (!change.empty()) return fail(path + " gives " + change);
        }
        at = 0;
        std::string changed;
        forEachOther([&](const std::string& name, const c10::IValue& value) {
            if (pickled(value) != others_[at++] && changed.empty()) changed = name;
        });
        if (changed.empty()) return {};
        return fail(path + " keeps " + changed +
                    " from batch to batch, which is no buffer, so that it would be neither averaged over the ranks nor "
                    "saved: register_buffer() it in __init__ with a tensor of the shape that it will have");
    }

private:
    static bool isCounter(const c10::IValue& value) { return value.isInt() || value.isBool(); }
    static std::vector<char> pickled(const c10::IValue& value) {
        return isCounter(value) ? std::vector<char>() : torch::jit::pickle_save(value);
    }
    template <class Visit>
    void forEachOther(Visit visit) const {
        forEachAttribute(script_, [&](const torch::jit::Module& module, std::size_t slot, const std::string& name) {
            if (module.type()->getAttribute(slot)->isSubtypeOf(*c10::TensorType::get())) return;
            visit(name, module._ivalue()->getSlot(slot));
        });
    }

    torch::jit::Module script_;
    std::vector<at::Tensor> parameters_;
    std::vector<std::pair<std::vector<std::int64_t>, at::ScalarType>> buffers_;
    std::vector<std::vector<char>> others_;
};

// Trial passes through a copy of the script.
class Trial {
public:
    Trial(const ScriptTrial& facts, torch::jit::Module script)
        : facts_(facts), script_(std::move(script)), before_(script_) {}

    Status train() {
        DASGD_TRY(checkMode(facts_.path, script_));
        script_.train(true);
        const at::Tensor before = at::detail::getDefaultCPUGenerator().get_state();
        for (const std::int64_t samples : kBatches) DASGD_TRY(step(samples));
        draws_ = !before.equal(at::detail::getDefaultCPUGenerator().get_state());
        // Parameters that chance left out may be used in one of the next steps.
        constexpr int kMoreSteps = 8;
        for (int i = 0; draws_ && i < kMoreSteps && !withoutGradient().empty(); ++i) DASGD_TRY(step(kBatches[0]));
        const std::string idle = withoutGradient();
        if (idle.empty()) return before_.check(facts_.path);
        return fail(facts_.path + " makes its outputs without " + idle +
                    ", which would not be trained: remove what is not used, or leave it as it is by "
                    "requires_grad_(False)");
    }

    // Finds whether the script draws random numbers, with the same forward passes as train(), so that every rank finds
    // the same.
    Status lookForDraws() {
        const at::NoGradGuard noGrad;
        script_.train(true);
        const at::Tensor before = at::detail::getDefaultCPUGenerator().get_state();
        for (const std::int64_t samples : kBatches) DASGD_TRY(outputsOf(samples));
        draws_ = !before.equal(at::detail::getDefaultCPUGenerator().get_state());
        return {};
    }

    Status evaluate() {
        const at::NoGradGuard noGrad;
        script_.train(false);
        doing_ = "evaluated";
        for (const std::int64_t samples : kBatches) {
            const auto outputs = outputsOf(samples);
            if (!outputs) return fail(outputs.error().message + ", in evaluation (after net.eval())");
        }
        return before_.check(facts_.path);
    }

    [[nodiscard]] bool drawsRandomNumbers() const { return draws_; }
    // Description of the trial's present activity and batch, for errors.
    [[nodiscard]] std::string work() const {
        const std::string type =
            facts_.type == at::kFloat ? "" : " in a run of type " + std::string(c10::toString(facts_.type));
        return doing_ + " on a batch of " + shapeText(sizes_) + type;
    }

private:
    // Two batch sizes, so that a forward that contains one of them as a constant is found.
    static constexpr std::int64_t kBatches[] = {2, 3};

    Status step(std::int64_t samples) {
        DASGD_ASSIGN(const at::Tensor outputs, outputsOf(samples));
        if (!outputs.requires_grad()) {
            return fail(facts_.path +
                        " makes outputs that depend on no parameter: is its forward under torch.no_grad()?");
        }
        outputs.sum().backward();
        return {};
    }

    Result<at::Tensor> outputsOf(std::int64_t samples) {
        const at::Tensor batch = someBatch(samples), untouched = batch.clone();
        const auto version = batch._version();
        const torch::jit::IValue result = script_.forward({batch});
        const auto wanted = outputShape(facts_.input, samples);
        const std::string wantedText = shapeText(wanted) + " floating-point values";
        if (!result.isTensor()) {
            return fail(facts_.path + " returns " + result.tagKind() + "; forward must return one tensor of " +
                        wantedText);
        }
        const at::Tensor& outputs = result.toTensor();
        if (outputs.sizes() != at::IntArrayRef(wanted) || !outputs.is_floating_point()) {
            return fail(facts_.path + " makes " + shapeText(outputs.sizes().vec()) + " values of type " +
                        typeText(outputs) + " of a batch of " + std::to_string(samples) + "; the data ask for " +
                        wantedText);
        }
        // Changes made through x.data do not count as a version, so values are compared too.
        if (batch._version() != version || !batch.equal(untouched)) {
            return fail(facts_.path +
                        " changes its inputs in place, which are the data: work on a copy, as x = x.clone()");
        }
        if (facts_.input.task != Task::kRegression && areProbabilities(outputs)) {
            return fail(facts_.path +
                        " makes probabilities, rows that sum to 1. The loss is cross entropy, which takes the softmax "
                        "itself: return what comes before it");
        }
        return outputs;
    }

    at::Tensor someBatch(std::int64_t samples) {
        sizes_ = facts_.input.shape;
        sizes_.insert(sizes_.begin(), samples);
        const std::int64_t count = elementCount(sizes_);
        if (facts_.input.task == Task::kLanguage) return at::arange(count).remainder(facts_.input.classes).view(sizes_);
        return at::linspace(-1, 1, count).to(facts_.type).view(sizes_);
    }

    // "parameters a and b", or "".
    [[nodiscard]] std::string withoutGradient() const {
        std::vector<std::string> names;
        for (const auto& parameter : script_.named_parameters()) {
            if (parameter.value.requires_grad() && !parameter.value.grad().defined()) names.push_back(parameter.name);
        }
        if (names.empty()) return "";
        constexpr std::size_t kNamed = 4;
        std::string text = names.size() == 1 ? "parameter " : "parameters ";
        for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) text += (i > 0 ? ", " : "") + names[i];
        if (names.size() > kNamed) text.append(" and ").append(std::to_string(names.size() - kNamed)).append(" more");
        return text;
    }

    const ScriptTrial& facts_;
    torch::jit::Module script_;
    const KeptState before_;
    bool draws_ = false;
    std::string doing_ = "trained";
    std::vector<std::int64_t> sizes_;
};

}  // namespace

std::string changeOfBuffer(const std::string& name, const std::vector<std::int64_t>& sizes, at::ScalarType type,
                           const at::Tensor& value) {
    if (value.sizes() != at::IntArrayRef(sizes)) {
        return "its buffer " + name + " of " + shapeText(sizes) + " a value of " + shapeText(value.sizes().vec()) +
               "; buffers are averaged over the ranks, so that they keep their shape: begin with one of the shape that "
               "it will have";
    }
    if (value.scalar_type() == type) return "";
    return "its buffer " + name + " of type " + c10::toString(type) + " a value of type " + typeText(value) +
           "; buffers are averaged over the ranks and saved, so that they keep their type: begin with one of the type "
           "that it will have, or assign the value in the buffer's own type, as value.to(self." +
           name.substr(name.rfind('.') + 1) + ".dtype)";
}

Status prepareScript(const std::string& path, const torch::jit::Module& script, at::ScalarType type) {
    DASGD_TRY(checkParameters(path, script));
    tie(script);
    DASGD_TRY(checkAttributes(path, script));
    DASGD_TRY(checkMemory(path, script));
    convert(script, type);
    return {};
}

Status ScriptTrial::run(torch::jit::Module copy) {
    std::optional<Trial> trial;
    try {
        trial.emplace(*this, std::move(copy));
        if (repeated) {
            DASGD_TRY(trial->lookForDraws());
        } else {
            DASGD_TRY(trial->train());
            DASGD_TRY(trial->evaluate());
        }
    } catch (const std::exception& error) {
        return fail(path + " cannot be " + (trial ? trial->work() : "copied") + ": " + reasonOf(error));
    }
    drawsRandomNumbers = trial->drawsRandomNumbers();
    return {};
}

}  // namespace dasgd
