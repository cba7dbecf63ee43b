// The mean of one vector of each rank, compressed, time after time: what the engines of the algorithms use in place of
// an all-reduce. With error feedback (β of [compression], e₀ = 0)
//
//   p = x + β·e    c = C(p)    e ← p − c    result: ⟨c⟩
//
// so that result + ⟨e⟩ = ⟨x⟩ + β·⟨e_old⟩. Where gradients are compressed and rescale_error is set, e is first
// multiplied by the learning rate of the exchange before over the present one, as if the steps had been coded instead
// (the papers' p = η·g + e).
//
// One exchange at a time: leave → [proceed] → finish. A second stage leaves with proceed(), at a step of the engine's
// choice that is the same on all ranks.
//
// Memory: N for e, beside that of the scheme (schemes/).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/compression/scheme.h"
#include "core/compression/settings.h"
#include "core/step/in_flight.h"
#include "core/step/step_context.h"

namespace dasgd {

class Archive;

// Prefix of the state of compressed exchanges in an algorithm's archive.
inline constexpr const char* kCompressionState = "compression/";

// The parameters of a model that lie in `elements` numbers of the flat tensors from `begin` on, each of which is a
// segment; with scope "model" all of them are one.
[[nodiscard]] std::vector<Segment> segmentsOf(const FlatParams& params, const CompressionParams& settings,
                                              std::int64_t begin, std::int64_t elements);

class CompressedMean final : public CodedTransfer {
public:
    // The vectors of one exchange, `elements` numbers from `begin` of the flat tensors on. Exchanges of a run that
    // alternate have streams of their own, number `stream` of `streams`.
    struct Vector {
        std::int64_t begin = 0, elements = 0;
        bool ofGradients = false;
        int stream = 0, streams = 1;
    };
    // `context` lives longer.
    CompressedMean(std::shared_ptr<const CompressionSettings> settings, StepContext& context, const Vector& vector);

    [[nodiscard]] bool hasSecondStage() const { return scheme_->stages() > 1; }
    [[nodiscard]] bool isUnderWay() const { return stage_ != Stage::Idle; }

    // Work of kind Snapshot, over encodeBytes() bytes: codes `x`, [N], which stays as it is until decode(). Not called
    // in time-only runs.
    void encode(StepContext& context, const at::Tensor& x);
    // Between encode() and launch(): out ← out + scale·c, with c this rank's own; not with an operator that has a
    // scheme of its own.
    void addSent(at::Tensor out, double scale) { scheme_->addSent(std::move(out), scale); }
    void launch(StepContext& context);
    // Ends the first stage and begins the second, where there is one and that has not happened yet: waits, and works.
    void proceed(StepContext& context);
    // Waits for all stages.
    void arrive(StepContext& context) override;
    // Work of kind Merge, over decodeBytes() bytes, after arrive(): out ← out + ⟨c⟩. Not called in time-only runs.
    void decode(at::Tensor out);
    void finish() override {
        stage_ = Stage::Idle;
        sent_.end();
    }
    void drop(StepContext& context) override;

    // Bytes of memory that the work goes over, as the executor counts them for a snapshot and a merge.
    [[nodiscard]] std::int64_t encodeBytes() const;
    [[nodiscard]] std::int64_t decodeBytes() const;
    [[nodiscard]] std::int64_t sentBytes() const;  // of addSent(), as of a snapshot
    // Size of a message and of the vector.
    [[nodiscard]] std::int64_t messageBytes() const { return scheme_->messageBytes(); }
    [[nodiscard]] std::int64_t denseBytes() const { return denseBytes_; }
    // True from the first coding to the second.
    [[nodiscard]] bool isFirst() const { return exchanges_ == 1; }
    [[nodiscard]] std::uint64_t collective() const override { return sent_.collective(); }
    // Waits for what is under way, without going on, and puts all state into `archive`.
    void save(StepContext& context, Archive& archive);
    [[nodiscard]] Status load(const Archive& archive);

private:
    enum class Stage : std::uint8_t { Idle, First, Second };

    [[nodiscard]] std::uint64_t counter() const {
        return static_cast<std::uint64_t>((exchanges_ - 1) * vector_.streams + vector_.stream + 1);
    }
    void launchStage(StepContext& context, Stage stage);
    void recordError() const;

    std::shared_ptr<const CompressionSettings> settings_;
    StepContext& context_;
    Vector vector_;
    std::int64_t denseBytes_ = 0;
    std::unique_ptr<ExchangeScheme> scheme_;
    at::Tensor error_;            // [N], e; none without feedback
    double factor_ = 1;           // that e was multiplied by for the exchange under way
    double size_ = 0;             // ‖x‖ of the exchange under way; of the first stream alone
    double rate_ = 0;             // learning rate of the last exchange whose rate was not 0; 0: there was none
    std::int64_t exchanges_ = 0;  // number of codings so far
    Stage stage_ = Stage::Idle;
    InFlight sent_;  // by the newest stage
};

// Records how large messages of these exchanges, which make up the model, are beside their vectors.
void recordRatio(StepContext& context, const std::vector<const CompressedMean*>& all);

}  // namespace dasgd
