#include "core/algorithms/gossip/public_copies.h"

#include <torch/types.h>

#include <string>
#include <utility>

#include "core/algorithms/gossip/graph_mixing.h"
#include "core/base/metric_names.h"
#include "core/base/random.h"
#include "core/compression/compressed_mean.h"
#include "core/cost/memory/memory_passes.h"
#include "core/step/archive.h"

namespace dasgd {

namespace {

const std::string kReceivedMessages = "received";

// Names of the operators that public copies can be coded with.
std::string codersOfCopies() {
    std::string names;
    for (const auto& [name, entry] : CompressorRegistry::entries()) {
        const auto made = entry.create(Value(Value::Table{}), {});
        if (!made || !dynamic_cast<const MessageCompressor*>(made->get())) continue;
        names += (names.empty() ? "" : ", ") + name;
    }
    return names;
}

ExchangeView viewOfCopies(const CompressionSettings& settings, StepContext& context) {
    const at::Tensor& weights = context.params().weights();
    return {.segments = segmentsOf(context.params(), settings.params, 0, weights.numel()),
            .elements = weights.numel(),
            .options = weights.options().requires_grad(false),
            .ranks = context.comm().size(),
            .rank = context.comm().rank().value(),
            .seed = context.seed()};
}

}  // namespace

PublicCopies::PublicCopies(std::shared_ptr<const CompressionSettings> settings, StepContext& context,
                           const Graph& graph, Steps steps)
    : settings_(std::move(settings)),
      compressor_(dynamic_cast<const MessageCompressor&>(*settings_->compressor)),
      view_(viewOfCopies(*settings_, context)),
      coder_(compressor_, view_.segments, static_cast<std::int64_t>(view_.options.dtype().itemsize())),
      mix_(graph.mix({.number = 0, .size = view_.ranks, .seed = view_.seed}, view_.rank)),
      steps_(steps),
      denseBytes_(static_cast<std::int64_t>(context.params().weights().nbytes())) {
    copy_ = context.params().weights().detach().clone();
    apart_ = at::zeros_like(copy_);
    message_ = at::empty({coder_.messageBytes()}, view_.options.dtype(at::kByte));
}

// Draws of an operator that sums are those of all ranks, in coding and decoding; the others' decoding draws none.
void PublicCopies::add(const at::Tensor& message, double scale, const at::Tensor& out) const {
    Draws draws(codingSeed(view_, kEveryRank, static_cast<std::uint64_t>(exchanges_)));
    coder_.decode(message, scale, out, draws);
}

void PublicCopies::encode(StepContext& context, at::Tensor x) {
    const at::NoGradGuard guard;
    ++exchanges_;
    const int rank = compressor_.properties().sums ? kEveryRank : view_.rank;
    Draws draws(codingSeed(view_, rank, static_cast<std::uint64_t>(exchanges_)));
    // In the place of x: a tensor for the difference would be another N.
    x.sub_(copy_);
    coder_.encode(x, message_, draws);
    x.add_(copy_);
    add(message_, steps_.memory, copy_);
    if (exchanges_ > 1) return;
    context.record(metrics::kCompressionRatio,
                   static_cast<double>(coder_.messageBytes()) / static_cast<double>(denseBytes_));
}

void PublicCopies::launch(StepContext& context) {
    flight_.launch(context, exchangeWith(context.comm(), mix_, message_, received_), coder_.messageBytes());
}

// With ŝ = h + q, Σⱼ Wᵢⱼ·ŝⱼ − ŝᵢ = z + p, p of the messages as z is of the copies, and z ← z + αp: z + p is the new z
// over α and what is left of the old one.
void PublicCopies::decode(at::Tensor x) {
    const at::NoGradGuard guard;
    const double share = 1 / steps_.memory;
    if (share != 1) x.add_(apart_, steps_.consensus * (1 - share));
    add(message_, steps_.memory * (mix_.self - 1), apart_);
    for (std::size_t i = 0; i < mix_.from.size(); ++i) {
        add(received_[i], steps_.memory * mix_.from[i].weight, apart_);
    }
    x.add_(apart_, steps_.consensus * share);
}

// x has six passes, beside those of the operator.
std::int64_t PublicCopies::encodeBytes() const {
    const auto properties = compressor_.properties();
    return snapshotBytes(6 + properties.encodePasses + properties.decodePasses, denseBytes_);
}

std::int64_t PublicCopies::decodeBytes() const {
    const auto messages = static_cast<double>(1 + mix_.from.size());
    const double passes = messages * compressor_.properties().decodePasses + (steps_.memory == 1 ? 3 : 6);
    return mergeBytes(passes, denseBytes_);
}

void PublicCopies::save(StepContext& context, Archive& archive) {
    flight_.save(context, archive);
    archive.put("exchanges", exchanges_);
    archive.put("copy", copy_);
    archive.put("apart", apart_);
    if (!flight_.any()) return;
    archive.put("message", message_);
    archive.put(kReceivedMessages, received_);
}

Status PublicCopies::load(const Archive& archive) {
    DASGD_TRY(flight_.load(archive));
    DASGD_ASSIGN(exchanges_, archive.integer("exchanges"));
    DASGD_TRY(archive.read("copy", copy_));
    DASGD_TRY(archive.read("apart", apart_));
    if (!flight_.any()) return {};
    DASGD_TRY(archive.read("message", message_));
    for (std::size_t i = 0; i < mix_.from.size(); ++i) received_.push_back(at::empty_like(message_));
    return archive.read(kReceivedMessages, received_);
}

std::optional<FieldError> checkPublicCopies(const CompressionSettings& settings) {
    const std::string copies = "neighbours keep public copies of each other, ";
    if (dynamic_cast<const MessageCompressor*>(settings.compressor.get()) == nullptr) {
        return FieldError{"name", settings.name + " forms the sum of all ranks, and neighbours send each other " +
                                      "messages: choose one of " + codersOfCopies()};
    }
    if (settings.compressor->properties().votes) {
        return FieldError{"vote", "a vote is about the sign of gradients: use it with sync_sgd, or set vote = false"};
    }
    if (settings.params.errorFeedback) {
        return FieldError{"error_feedback", copies +
                                                "which remember what was not sent: remove error_feedback, or set it "
                                                "to false"};
    }
    if (settings.params.scheme != "auto") {
        return FieldError{"scheme", copies + "and send their messages to each other alone: remove scheme"};
    }
    if (settings.params.start > 0) {
        return FieldError{"start", copies + "which must begin together: remove start"};
    }
    return std::nullopt;
}

std::optional<FieldError> checkStaticGraph(const Graph& graph, int ranks) {
    if (ranks == 1 || graph.period(ranks) == 1) return std::nullopt;
    return FieldError{"compression.name",
                      "neighbours keep public copies of each other, and this graph changes from round to round: choose "
                      "one that does not, as name = \"ring\" in [graph], or remove [compression]"};
}

}  // namespace dasgd
