// Messages that are numbers: an all-reduce. Sends 2m(P−1)/P by a ring. All ranks draw alike.
#include <torch/types.h>

#include "core/base/random.h"
#include "core/compression/scheme.h"

namespace dasgd {
namespace {

class SumOfMessages final : public ExchangeScheme {
public:
    SumOfMessages(const MessageCompressor& compressor, const ExchangeView& view)
        : compressor_(compressor), view_(view), coder_(compressor, view.segments, view.options.dtype().itemsize()) {
        message_ = at::empty({coder_.messageBytes() / static_cast<std::int64_t>(view.options.dtype().itemsize())},
                             view.options);
    }
    void encode(at::Tensor p, std::uint64_t counter) override {
        counter_ = counter;
        Draws draws(codingSeed(view_, kEveryRank, counter));
        coder_.encode(p, message_, draws);
        if (!view_.feedback) return;
        Draws again(codingSeed(view_, kEveryRank, counter));
        coder_.decode(message_, -1, p, again);
    }
    Pending launch(Communicator& comm, int) override { return comm.allReduce(message_, Reduce::Sum); }
    void decode(at::Tensor out, std::uint64_t counter) override {
        Draws draws(codingSeed(view_, kEveryRank, counter));
        coder_.decode(message_, 1.0 / view_.ranks, out, draws);
    }
    void addSent(at::Tensor out, double scale) override {
        Draws draws(codingSeed(view_, kEveryRank, counter_));
        coder_.decode(message_, scale, out, draws);
    }
    [[nodiscard]] std::int64_t bytes(int) const override { return coder_.messageBytes(); }
    [[nodiscard]] Passes passes() const override {
        const auto properties = compressor_.properties();
        return {.encode = properties.encodePasses + (view_.feedback ? properties.decodePasses : 0),
                .decode = properties.decodePasses};
    }
    [[nodiscard]] NamedTensors underWay() override { return {{"sum", &message_}}; }

private:
    const MessageCompressor& compressor_;
    ExchangeView view_;
    Coder coder_;
    std::uint64_t counter_ = 0;  // of the newest coding
    at::Tensor message_;         // numbers of the vector's type
};

}  // namespace

std::unique_ptr<ExchangeScheme> sumScheme(const MessageCompressor& compressor, const ExchangeView& view) {
    return std::make_unique<SumOfMessages>(compressor, view);
}

}  // namespace dasgd
