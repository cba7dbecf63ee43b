// Lets the tests of a program that train with ranks as threads train on another backend: the one that
// DASGD_TEST_BACKEND names, `nccl_stand_in` or `nccl`. On `nccl` they are skipped where there is no GPU.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "core/backends/gpu_backend.h"
#include "tests/support/document.h"
#include "tests/support/nccl/launched_together.h"
#include "tests/support/nccl/standin_machine.h"
#include "tests/support/temp_dir.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

class ElsewhereSink final : public EventSink {
public:
    void span(const Span&) override {}
    void metric(const Metric&) override {}
    void state(RankState, std::int64_t, std::string_view) override {}
};

std::unique_ptr<dasgd::Backend> made(const std::string& name, std::int64_t ranksPerGpu) {
    const LoadGpuRuntime standIns = []() -> Result<GpuRuntime> { return standInRuntime(); };
    return std::make_unique<GpuBackend>(GpuParams{.ranksPerGpu = ranksPerGpu},
                                        launchedTogether(name == "nccl" ? loadGpuRuntime : standIns));
}

std::int64_t gpusOf(const std::string& name) {
    if (name != "nccl") return 4;
    const auto runtime = loadGpuRuntime();
    return runtime ? usableDevices(runtime->device).value_or(0) : 0;
}

// Every rank is a thread with a host of its own, as processes have it.
void runOn(const std::string& name, const ClusterParams& given, const std::function<void(HostedRank&)>& body) {
    ClusterParams cluster = given;
    cluster.backend = name;
    const std::int64_t gpus = gpusOf(name);
    const auto backend = made(name, (cluster.workers + gpus - 1) / gpus);
    const TempDir folder;
    MonotonicClock clock;
    ElsewhereSink sink;
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(cluster.ranks()));
    std::vector<std::thread> ranks;
    for (int r = 0; r < cluster.ranks(); ++r) {
        ranks.emplace_back([&, r] {
            try {
                auto host = backend->open({.ranks = {r},
                                           .clock = clock,
                                           .folder = folder.path(),
                                           .localRank = r,
                                           .sink = [&](Rank) -> EventSink& { return sink; },
                                           .cluster = &cluster});
                if (!host) throw std::runtime_error(host.error().message);
                (*host)->run([&](HostedRank& rank) { body(rank); });
            } catch (...) {
                errors[static_cast<std::size_t>(r)] = std::current_exception();
            }
        });
    }
    for (std::thread& rank : ranks) rank.join();
    for (const std::exception_ptr& error : errors) {
        if (error) std::rethrow_exception(error);
    }
}

class OnBackend final : public testing::Environment {
public:
    explicit OnBackend(std::string name) : name_(std::move(name)) {}
    void SetUp() override {
        const auto suits = made(name_, 1)->checkMachine({.backend = name_, .workers = 1});
        if (!suits) {
            std::printf("[no GPU to test on] %s\n", suits.error().message.c_str());
            GTEST_SKIP() << suits.error().message;
        }
        slotsArePadded() = name_ == "nccl";
        runElsewhere() = [name = name_](const ClusterParams& cluster, const std::function<void(HostedRank&)>& body) {
            // gpu-check tells by this line what trained on a GPU; ctest keeps it for tests that fail.
            std::printf("[ trained  ] on %s\n", name.c_str());
            runOn(name, cluster, body);
        };
    }

private:
    std::string name_;
};

[[maybe_unused]] const bool kChosen = [] {
    const char* name = std::getenv("DASGD_TEST_BACKEND");
    if (name) testing::AddGlobalTestEnvironment(new OnBackend(name));
    return name != nullptr;
}();

}  // namespace
}  // namespace dasgd::test
