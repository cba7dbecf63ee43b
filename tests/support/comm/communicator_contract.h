// The contract of every communicator: values, numbers and bytes over 1, 2, 4 and 7 ranks and lengths 0, 1 and 1000. Its
// tests are in communicator_contract.cpp, a source of each program that instantiates them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "core/comm/group_maths.h"

namespace dasgd::test {

// Ranks of one kind of communicator.
struct ContractBackend {
    using Body = std::function<void(Communicator&, Clock&)>;
    std::string name;
    // Runs `body` once a rank and throws the first exception of the lowest rank. A rank that throws leaves the others.
    std::function<void(int ranks, const Body& body, std::chrono::milliseconds timeout)> run;
    bool pairwise = false;   // sums go pairwise in rank order
    double linkSeconds = 0;  // that a message of kLinkBytes occupies the link; 0 where nothing is modelled
    static constexpr int kLinkFloats = 10'000;
};
inline void PrintTo(const ContractBackend& backend, std::ostream* out) { *out << backend.name; }

inline void waitAll(std::vector<Pending>& pending) {
    for (Pending& each : pending) each.wait();
}

// Waits until `condition` holds, without waiting for any operation.
inline void pollUntil(Clock& clock, const std::function<bool()>& condition) {
    while (!condition()) clock.sleepUntil(clock.now() + 1'000'000);
}

inline std::string errorOf(const std::function<void()>& work) {
    try {
        work();
    } catch (const CommError& error) {
        return error.what();
    }
    return "no error";
}

// ---------------------------------------------------------------------------------------------------------- values

class CommunicatorContract : public testing::TestWithParam<std::tuple<ContractBackend, int, std::int64_t>> {
protected:
    [[nodiscard]] int ranks() const { return std::get<1>(GetParam()); }
    [[nodiscard]] std::int64_t length() const { return std::get<2>(GetParam()); }
    [[nodiscard]] bool isPairwise() const { return std::get<0>(GetParam()).pairwise; }
    void run(const ContractBackend::Body& body) const {
        std::get<0>(GetParam()).run(ranks(), body, std::chrono::milliseconds(20'000));
    }
    // Element j of rank r: distinct in both, exactly representable.
    [[nodiscard]] at::Tensor own(int rank) const { return own(rank, length()); }
    [[nodiscard]] static at::Tensor own(int rank, std::int64_t length) {
        return torch::arange(length, torch::kFloat64) + 1000.0 * (rank + 1);
    }
    [[nodiscard]] at::Tensor nothing(std::int64_t rows) const {
        return torch::full({rows, length()}, -1.0, torch::kFloat64);
    }
    // Thirds: their sums depend on the order.
    [[nodiscard]] at::Tensor thirds(int rank) const { return own(rank) / 3; }
    [[nodiscard]] at::Tensor reduced(Reduce op) const {
        std::vector<at::Tensor> all;
        for (int r = 0; r < ranks(); ++r) all.push_back(thirds(r));
        return reducePairwise(all, op);
    }
    void expectReduced(const at::Tensor& tensor, const at::Tensor& expected) const {
        EXPECT_TRUE(isPairwise() ? torch::equal(tensor, expected) : torch::allclose(tensor, expected, 1e-14, 0));
    }
};

inline std::string contractName(const testing::TestParamInfo<CommunicatorContract::ParamType>& info) {
    return std::get<0>(info.param).name + "_P" + std::to_string(std::get<1>(info.param)) + "_N" +
           std::to_string(std::get<2>(info.param));
}

inline auto contractOf(const std::vector<ContractBackend>& backends) {
    return testing::Combine(testing::ValuesIn(backends), testing::Values(1, 2, 4, 7), testing::Values(0, 1, 1000));
}

}  // namespace dasgd::test
