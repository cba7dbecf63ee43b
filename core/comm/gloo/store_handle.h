// c10d's store, for the sources that need its type.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

namespace dasgd {

struct StoreHandle {
    c10::intrusive_ptr<c10d::Store> store;
};

}  // namespace dasgd
