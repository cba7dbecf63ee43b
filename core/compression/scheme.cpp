#include "core/compression/scheme.h"

#include "core/base/random.h"

namespace dasgd {

std::uint64_t codingSeed(const ExchangeView& view, int rank, std::uint64_t counter) {
    return streamSeed(view.seed, rank, StreamPurpose::Compression, counter);
}

std::unique_ptr<ExchangeScheme> PairCompressor::makeScheme(const ExchangeView&) const { return nullptr; }

std::unique_ptr<ExchangeScheme> MessageCompressor::makeScheme(const ExchangeView& view) const {
    if (view.scheme == "gather") return gatherScheme(*this, view);
    if (view.scheme == "sum") return sumScheme(*this, view);
    return shardScheme(*this, view);
}

}  // namespace dasgd
