// A store of one process that does not answer for a while.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <vector>

#include "core/comm/gloo/rendezvous.h"
#include "core/comm/gloo/store_handle.h"

namespace dasgd::test {

class StumblingStore final : public c10d::HashStore {
public:
    explicit StumblingStore(int fails) : fails_(fails) {}
    bool check(const std::vector<std::string>& keys) override {
        if (fails_.fetch_sub(1) > 0) throw std::runtime_error("no answer");
        return HashStore::check(keys);
    }
    [[nodiscard]] bool answers() const { return fails_.load() <= 0; }

private:
    std::atomic<int> fails_;  // looks that are still to fail
};

}  // namespace dasgd::test
