// How the messages of one exchange travel: an exchange has one or two stages, each a collective, with work between
// them. The same order on every rank; what arrives is added in the order of the ranks, so that all of them and all
// backends have equal bits.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/comm/communicator.h"
#include "core/compression/coder.h"
#include "core/compression/compressor.h"
#include "core/cost/memory/memory_passes.h"

namespace dasgd {

// The vector of an exchange, as all ranks know it.
struct ExchangeView {
    std::vector<Segment> segments;
    std::int64_t elements = 0;
    at::TensorOptions options;  // of the vector; on the meta device in a time-only run
    int ranks = 1, rank = 0;
    std::uint64_t seed = 0;  // of the run
    std::string scheme;      // "gather", "shard" or "sum"
    bool feedback = false;
    double errorDecay = 1;
    // Number of epochs that were completed before the present step, on all ranks alike. Default: none ever.
    std::function<std::int64_t()> epoch = [] { return std::int64_t{0}; };
};

class ExchangeScheme {
public:
    using NamedTensors = std::vector<std::pair<std::string, at::Tensor*>>;

    virtual ~ExchangeScheme() = default;
    [[nodiscard]] virtual int stages() const { return 1; }
    // Codes `p`, which nobody else changes until decode(). With error feedback, p ← p − what all others are sent of it:
    // now or, where only the result tells, in decode(). `counter` numbers the codings of a run; the draws
    // depend on it.
    virtual void encode(at::Tensor p, std::uint64_t counter) = 0;
    [[nodiscard]] virtual Pending launch(Communicator& comm, int stage) = 0;
    // Work between two stages of the exchange that was coded with `counter`. `factor`: what errors of earlier exchanges
    // are multiplied by.
    virtual void recode(double /*factor*/, std::uint64_t /*counter*/) {}
    // out ← out + the mean of what was coded. All stages have ended.
    virtual void decode(at::Tensor out, std::uint64_t counter) = 0;

    // Square of the norm of what was not sent beside the error of p: P times this rank's part of it, so that the mean
    // over the ranks is that of the whole.
    [[nodiscard]] virtual double squareOfOtherErrors() const { return 0; }
    // Called after state was loaded, of an exchange that is under way with feedback: `p`, as encode() had it.
    virtual void resume(at::Tensor /*p*/) {}

    // After encode(): out ← out + scale·C(p), of this rank alone. Not of operators with a scheme of their own.
    virtual void addSent(at::Tensor /*out*/, double /*scale*/) {}

    // Bytes that this rank gives in a stage.
    [[nodiscard]] virtual std::int64_t bytes(int stage) const = 0;
    // Bytes of the whole vector's message.
    [[nodiscard]] virtual std::int64_t messageBytes() const { return bytes(0); }
    // Passes over the vector's memory by encode(), recode() and decode(), those for the error of encode() apart
    // (passesOfError()).
    struct Passes {
        double encode = 0, recode = 0, decode = 0;
    };
    [[nodiscard]] virtual Passes passes() const = 0;
    // Tensors that are kept from one exchange to the next, and those that hold one that is under way.
    [[nodiscard]] virtual NamedTensors kept() { return {}; }
    [[nodiscard]] virtual NamedTensors underWay() = 0;
};

// Passes over a vector's memory for error feedback, before it is coded: e is read and written, and x read.
[[nodiscard]] constexpr double passesOfError(bool feedback) { return feedback ? kPassesOfFeedback : 0; }

// Seed of the draws of a coding; `rank` kEveryRank where all ranks draw alike.
[[nodiscard]] std::uint64_t codingSeed(const ExchangeView& view, int rank, std::uint64_t counter);

// The schemes of operators that code messages. `compressor` outlives them.
[[nodiscard]] std::unique_ptr<ExchangeScheme> gatherScheme(const MessageCompressor& compressor,
                                                           const ExchangeView& view);
[[nodiscard]] std::unique_ptr<ExchangeScheme> shardScheme(const MessageCompressor& compressor,
                                                          const ExchangeView& view);
[[nodiscard]] std::unique_ptr<ExchangeScheme> sumScheme(const MessageCompressor& compressor, const ExchangeView& view);

}  // namespace dasgd
