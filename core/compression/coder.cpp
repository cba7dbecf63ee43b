#include "core/compression/coder.h"

#include <algorithm>
#include <utility>

namespace dasgd {

std::vector<Segment> segmentsWithin(const std::vector<Segment>& segments, std::int64_t begin, std::int64_t elements) {
    std::vector<Segment> within;
    for (const Segment& segment : segments) {
        const std::int64_t from = std::max(segment.offset, begin);
        const std::int64_t to = std::min(segment.offset + segment.elements, begin + elements);
        if (from < to) within.push_back({from - begin, to - from});
    }
    return within;
}

Coder::Coder(const MessageCompressor& compressor, std::vector<Segment> segments, std::int64_t elementBytes)
    : compressor_(&compressor), segments_(std::move(segments)) {
    for (const Segment& segment : segments_) {
        places_.push_back(bytes_);
        bytes_ += compressor_->messageBytes(segment.elements, elementBytes);
    }
}

void Coder::encode(const at::Tensor& x, const at::Tensor& message, Draws& draws) const {
    auto* bytes = static_cast<std::byte*>(message.data_ptr());
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        compressor_->encode(x.narrow(0, segments_[i].offset, segments_[i].elements), bytes + places_[i], draws);
    }
}

void Coder::decode(const at::Tensor& message, double scale, const at::Tensor& out, Draws& draws) const {
    const auto* bytes = static_cast<const std::byte*>(message.data_ptr());
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        compressor_->decode(bytes + places_[i], scale, out.narrow(0, segments_[i].offset, segments_[i].elements),
                            draws);
    }
}

}  // namespace dasgd
