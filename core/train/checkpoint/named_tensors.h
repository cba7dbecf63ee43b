// The tensors of a network by their names; one that several modules share has its first name.
#pragma once

#include <torch/nn/module.h>

#include <string>
#include <unordered_set>

#include "core/base/result.h"

namespace dasgd {

// `items`: Module::named_parameters() or named_buffers(). `each(name, tensor)` answers a Status; the first that failed
// ends it.
template <class Items, class Each>
Status forEachOnce(const Items& items, Each&& each) {
    std::unordered_set<const at::TensorImpl*> seen;
    for (const auto& item : items) {
        if (!seen.insert(item.value().unsafeGetTensorImpl()).second) continue;
        DASGD_TRY(each(item.key(), item.value()));
    }
    return {};
}

}  // namespace dasgd
