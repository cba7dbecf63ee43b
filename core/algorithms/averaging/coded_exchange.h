// Coded exchanges of the merge family (delayed_average.h): what turns the vector that leaves a rank into messages, and
// messages into the vector that the rank merges. One exchange at a time:
//
//   encode → launch → [proceed] → arrive → decode → finish
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/base/result.h"
#include "core/step/in_flight.h"
#include "core/step/step_context.h"

namespace dasgd {

class Archive;

class CodedExchange : public CodedTransfer {
public:
    // True where what leaves in step `step` travels uncoded; agree() is then told what was merged.
    [[nodiscard]] virtual bool leavesWhole(std::int64_t /*step*/) const { return false; }
    // Snapshot work, over encodeBytes() bytes: codes `x`, [N], which may be changed and belongs to the exchange until
    // decode(). Not called in time-only runs.
    virtual void encode(StepContext& context, at::Tensor x) = 0;
    virtual void launch(StepContext& context) = 0;
    // Ends the first of two stages and begins the second, where there are two.
    virtual void proceed(StepContext& /*context*/) {}
    // Merge work, over decodeBytes() bytes, after arrive(): `x`, the tensor that encode() had, becomes what is merged.
    // Not called in time-only runs.
    virtual void decode(at::Tensor x) = 0;
    // Merge work, over agreeBytes(), of an exchange that travelled whole, and brought `mean`.
    virtual void agree(const at::Tensor& /*mean*/) {}

    // Bytes of memory that the work goes over, as the executor counts them for a snapshot and a merge.
    [[nodiscard]] virtual std::int64_t encodeBytes() const = 0;
    [[nodiscard]] virtual std::int64_t decodeBytes() const = 0;
    [[nodiscard]] virtual std::int64_t agreeBytes() const { return 0; }
    // Waits for what is under way, without going on, and puts all state but `x` into `archive`.
    virtual void save(StepContext& context, Archive& archive) = 0;
    // Called on a new object, in place of everything up to the save.
    [[nodiscard]] virtual Status load(const Archive& archive) = 0;
};

}  // namespace dasgd
