// Parameter groups: parameters with and without weight decay, as slices of the flat tensors.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/schema/fields.h"
#include "core/step/flat_params.h"

namespace dasgd {

// The parameters without weight decay. "bias-norm": those of at most one dimension, which are the biases and the scales
// and shifts of normalisation layers (Goyal et al., arXiv 1706.02677, section 5.1, leave out those of BatchNorm; biases
// with them: He et al., arXiv 1812.01187, section 3.1).
struct NoDecay {
    std::string parameters = "none";

    void visit(auto&& f) {
        f(parameters, "no_decay",
          {.help = "Parameters without weight decay. bias-norm: those of one dimension, that is biases and the scales "
                   "and shifts of normalisation layers",
           .choices = {"none", "bias-norm"}});
    }
    [[nodiscard]] bool exempts(const FlatParams::Slot& slot) const {
        return parameters == "bias-norm" && slot.parameter.dim() <= 1;
    }
};

struct ParameterGroup {
    struct Range {
        std::int64_t begin = 0;
        std::int64_t length = 0;
    };
    double weightDecay = 0;
    std::vector<Range> slices;  // in the order of the parameters; neighbours are joined, with the padding between them

    // Views of the group's part of a flat tensor.
    [[nodiscard]] std::vector<at::Tensor> of(const at::Tensor& flat) const {
        std::vector<at::Tensor> parts;
        for (const Range& slice : slices) parts.push_back(flat.narrow(0, slice.begin, slice.length));
        return parts;
    }
};

// One group of all parameters, or two where some are exempt from `weightDecay`. None is empty.
[[nodiscard]] inline std::vector<ParameterGroup> groupsOf(const FlatParams& flat, const NoDecay& noDecay,
                                                          double weightDecay) {
    ParameterGroup decayed{.weightDecay = weightDecay, .slices = {}}, exempt;
    ParameterGroup* before = nullptr;  // group of the slot before
    for (const FlatParams::Slot& slot : flat.slots()) {
        ParameterGroup* group = weightDecay != 0 && noDecay.exempts(slot) ? &exempt : &decayed;
        if (std::exchange(before, group) == group) {
            ParameterGroup::Range& slice = group->slices.back();
            slice.length = slot.offset + slot.numel - slice.begin;
        } else {
            group->slices.push_back({slot.offset, slot.numel});
        }
    }
    std::vector<ParameterGroup> groups;
    for (ParameterGroup* group : {&decayed, &exempt}) {
        if (!group->slices.empty()) groups.push_back(std::move(*group));
    }
    return groups;
}

}  // namespace dasgd
