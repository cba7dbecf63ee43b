// A vector as the message of an operator, segment by segment: each segment has a scale, norm or number of places of its
// own (CompressionParams::scope).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/compression/compressor.h"

namespace dasgd {

struct Segment {
    std::int64_t offset = 0, elements = 0;
    std::int64_t rows = 0;  // of the matrix that it is, whose columns are its elements / rows; 0: it is none
};

// The parts of `segments` that lie in `elements` numbers from `begin` on, counted from there.
[[nodiscard]] std::vector<Segment> segmentsWithin(const std::vector<Segment>& segments, std::int64_t begin,
                                                  std::int64_t elements);

class Coder {
public:
    // `compressor` outlives the coder.
    Coder(const MessageCompressor& compressor, std::vector<Segment> segments, std::int64_t elementBytes);

    [[nodiscard]] std::int64_t messageBytes() const { return bytes_; }
    // Codes `x`, which holds all segments, into the first messageBytes() bytes of `message`.
    void encode(const at::Tensor& x, const at::Tensor& message, Draws& draws) const;
    // out ← out + scale·C(x).
    void decode(const at::Tensor& message, double scale, const at::Tensor& out, Draws& draws) const;

private:
    const MessageCompressor* compressor_;
    std::vector<Segment> segments_;
    std::vector<std::int64_t> places_;  // of each segment's message
    std::int64_t bytes_ = 0;
};

}  // namespace dasgd
