// Every rank's message to all others, decoded in the order of the ranks. Sends m(P−1). Memory: P messages.
#include <torch/types.h>

#include "core/compression/scheme.h"

namespace dasgd {
namespace {

class Gather final : public ExchangeScheme {
public:
    Gather(const MessageCompressor& compressor, const ExchangeView& view)
        : compressor_(compressor), view_(view), coder_(compressor, view.segments, view.options.dtype().itemsize()) {
        const auto bytes = view.options.dtype(at::kByte);
        message_ = at::empty({coder_.messageBytes()}, bytes);
        all_ = at::empty({view.ranks, coder_.messageBytes()}, bytes);
    }
    void encode(at::Tensor p, std::uint64_t counter) override {
        Draws draws(codingSeed(view_, view_.rank, counter));
        coder_.encode(p, message_, draws);
        if (!view_.feedback) return;
        coder_.decode(message_, -1, p, draws);
    }
    Pending launch(Communicator& comm, int) override { return comm.allGather(message_, all_); }
    void decode(at::Tensor out, std::uint64_t) override {
        Draws none(0);
        const bool votes = compressor_.properties().votes;
        for (int rank = 0; rank < view_.ranks; ++rank) {
            // Whole numbers, so that a tie is 0.
            coder_.decode(all_[rank], votes ? 1.0 : 1.0 / view_.ranks, out, none);
        }
        if (votes) out.sign_();
    }
    void addSent(at::Tensor out, double scale) override {
        Draws none(0);
        coder_.decode(message_, scale, out, none);
    }
    [[nodiscard]] std::int64_t bytes(int) const override { return coder_.messageBytes(); }
    [[nodiscard]] Passes passes() const override {
        const auto properties = compressor_.properties();
        return {.encode = properties.encodePasses + (view_.feedback ? properties.decodePasses : 0),
                .decode = properties.decodePasses * view_.ranks};
    }
    [[nodiscard]] NamedTensors underWay() override { return {{"messages", &all_}}; }

private:
    const MessageCompressor& compressor_;
    ExchangeView view_;
    Coder coder_;
    at::Tensor message_;  // uint8 [m]
    at::Tensor all_;      // uint8 [P, m]
};

}  // namespace

std::unique_ptr<ExchangeScheme> gatherScheme(const MessageCompressor& compressor, const ExchangeView& view) {
    return std::make_unique<Gather>(compressor, view);
}

}  // namespace dasgd
