// Exchanges of compressed vectors by ranks that are threads, without an algorithm: what CompressedMean does, in plain
// steps.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/compression/scheme.h"
#include "core/compression/settings.h"
#include "tests/support/document.h"
#include "tests/support/ranks.h"

namespace dasgd::test {

inline std::shared_ptr<const Compressor> anyCompressorOf(const std::string& name, const Fields& fields) {
    return CompressorRegistry::find(name)->create(table(fields), {}).value();
}

// What creating the operator, or else settling its settings, is refused with; "" where nothing is.
inline std::string compressionRefused(const std::string& name, const Fields& fields, CompressionParams params = {}) {
    const auto made = CompressorRegistry::find(name)->create(table(fields), {});
    if (!made) return made.error().message;
    const auto refused = settleScheme(**made, params);
    return refused ? refused->field + ": " + refused->message : "";
}

struct ExchangeTrial {
    std::string name;
    Fields fields = {};
    std::vector<Segment> segments = {};
    int ranks = 1, exchanges = 1;
    bool feedback = true;
    double decay = 1;
    at::ScalarType type = at::kDouble;
    std::uint64_t seed = 7;
    std::string scheme = "shard";
    std::function<std::int64_t()> epoch = [] { return std::int64_t{0}; };
    Backend backend = Backend::Threads;

    [[nodiscard]] std::int64_t elements() const { return segments.back().offset + segments.back().elements; }
    [[nodiscard]] ExchangeView view(int rank, const at::TensorOptions& options = at::kCPU) const {
        return {.segments = segments,
                .elements = elements(),
                .options = options.dtype(type),
                .ranks = ranks,
                .rank = rank,
                .seed = seed,
                .scheme = scheme,
                .feedback = feedback,
                .errorDecay = decay,
                .epoch = epoch};
    }
};

struct ExchangeOutcome {
    // By exchange and rank: the result, e after it, and what the scheme keeps.
    std::vector<std::vector<at::Tensor>> results, errors;
    std::vector<std::vector<std::map<std::string, at::Tensor>>> kept;

    [[nodiscard]] at::Tensor meanError(std::size_t exchange) const { return at::stack(errors[exchange]).mean(0); }
    [[nodiscard]] at::Tensor meanKept(std::size_t exchange, const std::string& name) const {
        std::vector<at::Tensor> tensors;
        for (const auto& ofRank : kept[exchange]) tensors.push_back(ofRank.at(name));
        return at::stack(tensors).mean(0);
    }
};

// Inputs of the exchanges: that of rank `rank` in exchange `exchange`, from 0.
using ExchangeInputs = std::function<at::Tensor(int exchange, int rank)>;

// Normal numbers, of each exchange and rank others.
inline ExchangeInputs normalInputs(std::int64_t elements, at::ScalarType type = at::kDouble) {
    return [=](int exchange, int rank) {
        const auto generator = at::make_generator<at::CPUGeneratorImpl>(std::uint64_t(1000 * exchange + rank));
        return at::randn({elements}, generator, at::TensorOptions(type));
    };
}

// The mean over the ranks of the inputs of one exchange.
inline at::Tensor meanInput(const ExchangeInputs& inputs, int exchange, int ranks) {
    std::vector<at::Tensor> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(inputs(exchange, rank));
    return at::stack(all).mean(0);
}

inline ExchangeOutcome exchangeAll(const ExchangeTrial& trial, const ExchangeInputs& inputs) {
    const auto compressor = anyCompressorOf(trial.name, trial.fields);
    const auto ranks = static_cast<std::size_t>(trial.ranks);
    ExchangeOutcome outcome;
    outcome.results.assign(static_cast<std::size_t>(trial.exchanges), std::vector<at::Tensor>(ranks));
    outcome.errors = outcome.results;
    outcome.kept.assign(outcome.results.size(), std::vector<std::map<std::string, at::Tensor>>(ranks));
    runRanks(trial.backend, trial.ranks, [&](Communicator& comm, Clock&) {
        const at::NoGradGuard guard;
        const int rank = comm.rank().value();
        const auto scheme = compressor->makeScheme(trial.view(rank));
        at::Tensor error = at::zeros({trial.elements()}, trial.type);
        for (int exchange = 0; exchange < trial.exchanges; ++exchange) {
            const auto counter = static_cast<std::uint64_t>(exchange + 1);
            error = trial.feedback ? error.mul(trial.decay).add(inputs(exchange, rank)) : inputs(exchange, rank);
            scheme->encode(error, counter);
            for (int stage = 0; stage < scheme->stages(); ++stage) {
                if (stage > 0) scheme->recode(1, counter);
                scheme->launch(comm, stage).wait();
            }
            at::Tensor result = at::zeros_like(error);
            scheme->decode(result, counter);
            const auto e = static_cast<std::size_t>(exchange), r = static_cast<std::size_t>(rank);
            outcome.results[e][r] = result;
            outcome.errors[e][r] = error.clone();
            for (const auto& [name, tensor] : scheme->kept()) outcome.kept[e][r][name] = tensor->clone();
        }
    });
    for (const auto& results : outcome.results) {
        for (const at::Tensor& result : results) {
            EXPECT_TRUE(result.nan_to_num(1e30).equal(results[0].nan_to_num(1e30))) << "not the bits of rank 0";
        }
    }
    return outcome;
}

inline double largestDifference(const at::Tensor& a, const at::Tensor& b) {
    return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

}  // namespace dasgd::test
