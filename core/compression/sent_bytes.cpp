#include "core/compression/sent_bytes.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <numeric>

#include "core/compression/scheme.h"

namespace dasgd {

namespace {

std::int64_t elementsOf(const std::vector<std::int64_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t weightsOf(const SentModel& model) {
    std::int64_t sum = 0;
    for (const auto& shape : model.shapes) sum += elementsOf(shape);
    return sum;
}

}  // namespace

CompressedExchange compressedExchange(const CompressionSettings& settings, const SentModel& model) {
    using Collective = CompressedExchange::Collective;
    const CompressionParams& params = settings.params;
    ExchangeView view{.elements = weightsOf(model),
                      .options = at::TensorOptions(at::kMeta).dtype(model.elementBytes == 8 ? at::kDouble : at::kFloat),
                      .ranks = model.ranks,
                      .scheme = params.scheme,
                      .feedback = params.errorFeedback};
    std::int64_t offset = 0;
    for (const auto& shape : model.shapes) {
        const std::int64_t elements = elementsOf(shape);
        view.segments.push_back({offset, elements, shape.size() > 1 ? shape[0] : 0});
        offset += elements;
    }
    if (params.scope == "model") view.segments = {{.offset = 0, .elements = offset}};
    const auto scheme = settings.compressor->makeScheme(view);
    const ExchangeScheme::Passes passes = scheme->passes();
    CompressedExchange exchange{.passes = {.encode = passes.encode + passesOfError(params.errorFeedback),
                                           .recode = passes.recode,
                                           .decode = passes.decode},
                                .wholeSteps = params.start};
    for (int stage = 0; stage < scheme->stages(); ++stage) {
        const Collective ofMessages =
            params.scheme == "shard" && stage == 0 ? Collective::AllToAll : Collective::AllGather;
        exchange.stages.push_back({params.scheme == "sum" ? Collective::AllReduce : ofMessages, scheme->bytes(stage)});
    }
    if (settings.compressor->properties().warmsUp) {
        exchange.why = settings.name + " sends other numbers of values in its first epochs";
    }
    return exchange;
}

double sentBytes(const CompressionSettings& settings, const SentModel& model) {
    double sent = 0;
    for (const CompressedExchange::Stage& stage : compressedExchange(settings, model).stages) {
        sent += static_cast<double>(sentInStage(stage, model.ranks));
    }
    return sent;
}

double sentWhole(const SentModel& model) {
    return 2.0 * static_cast<double>(weightsOf(model) * model.elementBytes) * (model.ranks - 1) / model.ranks;
}

std::optional<std::string> sendsTooMuch(const CompressionSettings& settings, const SentModel& model) {
    const double sent = sentBytes(settings, model), whole = sentWhole(model);
    if (model.ranks < 2 || sent < whole) return std::nullopt;
    std::array<char, 64> factor{};
    std::snprintf(factor.data(), factor.size(), "%.3g", sent / whole);
    const Compressor::Properties properties = settings.compressor->properties();
    std::string remedy = "choose another operator, or fields that make its messages shorter";
    if (settings.params.scheme == "gather") {
        remedy = "every worker's message goes to all others: " +
                 (properties.ownScheme || properties.votes
                      ? "choose another operator, or fewer workers"
                      : "set scheme = \"shard\", or a ratio below 1 / " + std::to_string(model.ranks) + " (workers)");
    }
    return "[compression] " + settings.name + " sends " + std::string(factor.data()) +
           " times the bytes of no compression: " + remedy;
}

}  // namespace dasgd
