#include "core/train/device/device_check.h"

#include <string_view>

#include "core/cost/communication_pattern.h"

namespace dasgd {

namespace {

Status refuseTrain(const Value& document, const char* key, const std::string& why) {
    return document.find("train")->find(key)->error(why);
}

// True where the algorithm sends buckets during its backward passes, in any step.
bool sendsGradients(const Experiment& experiment) {
    const auto& pattern = AlgorithmRegistry::find(experiment.algorithmName)->traits;
    if (pattern.kind == CommunicationPattern::Kind::Gradients) return true;
    const Value* first = experiment.algorithmTable.find("sync_steps");
    const auto* steps = first ? first->as<std::int64_t>() : nullptr;
    return steps && *steps > 0;
}

Status checkGraph(const Value& document, const Experiment& experiment) {
    if (!experiment.train.cudaGraph) return {};
    if (experiment.train.accumulate > 1) {
        return refuseTrain(document, "cuda_graph",
                           "cuda_graph captures the passes of a whole batch, and accumulate cuts it up: remove one of "
                           "them");
    }
    if (sendsGradients(experiment)) {
        return refuseTrain(document, "cuda_graph",
                           "cuda_graph captures the backward pass, from inside which " + experiment.algorithmName +
                               " sends gradients (sync_sgd always, others for their sync_steps): remove cuda_graph, "
                               "or let the algorithm average weights alone");
    }
    if (!experiment.dataset) {
        return refuseTrain(document, "cuda_graph",
                           "cuda_graph captures the passes of a batch, and the model '" + experiment.modelName +
                               "' takes none: remove it");
    }
    return {};
}

Status checkAutocast(const Value& document, const Experiment& experiment) {
    if (!experiment.train.autocasts() || experiment.train.precision == "float32") return {};
    return refuseTrain(document, "autocast",
                       "autocast computes in bfloat16 what is in float32, and precision is \"" +
                           experiment.train.precision + "\": remove one of them");
}

Status checkResident(const Experiment& experiment) {
    if (!experiment.dataset || experiment.data.deviceData == "auto") return {};
    const Value& given = *experiment.dataTable.find("device_data");
    if (experiment.layout.onGpus) return {};
    return given.error("device_data says where samples are for GPUs, and the backend '" + experiment.cluster.backend +
                       "' computes on the processor: remove it, or set backend = \"nccl\" in [cluster]");
}

// Name of the LibTorch operator whose tensor did not fit, from frames such as "frame #10: at::_ops::mm::redispatch(…) +
// 0xe8 (…)", innermost first. "" where there is none.
std::string operatorOf(std::string_view frames) {
    constexpr std::string_view kOperator = "at::_ops::";
    std::string allocating;
    for (auto at = frames.find(kOperator); at != std::string_view::npos; at = frames.find(kOperator, at)) {
        at += kOperator.size();
        const std::string name(frames.substr(at, frames.find("::", at) - at));
        // Operators that allocate do it for the operator that called them, or for this project itself.
        const bool allocates = name.starts_with("empty") || name.starts_with("resize") || name.starts_with("new_");
        if (!allocates) return name;
        if (allocating.empty()) allocating = name;
    }
    return allocating;
}

}  // namespace

Status checkDeviceSettings(const Value& document, const Experiment& experiment) {
    const TrainParams& train = experiment.train;
    DASGD_TRY(checkAutocast(document, experiment));
    DASGD_TRY(checkResident(experiment));
    for (const auto& [key, given] : {std::pair("tf32", train.tf32), std::pair("cuda_graph", train.cudaGraph)}) {
        if (!given || experiment.layout.onGpus) continue;
        return refuseTrain(document, key,
                           std::string(key) + " applies to GPUs, and the backend '" + experiment.cluster.backend +
                               "' computes on the processor: remove it, or set backend = \"nccl\" in [cluster]");
    }
    return checkGraph(document, experiment);
}

std::string outOfMemoryText(const std::string& doing, const std::string& reason, TensorDevice* device) {
    const std::string first = reason.substr(0, reason.find('\n'));
    // LibTorch's text: "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has …"
    constexpr std::string_view kAsked = "Tried to allocate ";
    std::string asked;
    if (const auto begin = first.find(kAsked); begin != std::string::npos) {
        const auto from = begin + kAsked.size();
        asked = first.substr(from, first.find(". ", from) - from);
        if (asked.ends_with('.')) asked.pop_back();
    }
    const std::string whose = operatorOf(std::string_view(reason).substr(first.size()));
    std::string text = "out of memory in " + doing + ": ";
    text += asked.empty() ? first : asked + " were asked for";
    if (!whose.empty()) text += " by the operator " + whose;
    if (device) text += "; on " + device->device().str() + " " + device->memoryText();
    return text +
           ". A smaller train.batch_size, with train.accumulate for the same samples a step, needs less; so do "
           "autocast = \"bfloat16\" in [train] and device_data = \"prefetch\" in [data]";
}

}  // namespace dasgd
