// Every rank averages one part of the vector: it receives the part's messages from all, adds them up in the order of
// the ranks, codes the mean again, with an error of its own, and sends that to all. A part is ⌈N/P⌉ numbers, the last
// ones are shorter; rows of a collective are as long as the longest message. Sends 2m(P−1)/P.
//
// Memory: 2 rows for each rank on the way there and P rows on the way back; N/P for the part's mean, and as much for
// its error.
#include <torch/types.h>

#include <algorithm>

#include "core/compression/scheme.h"

namespace dasgd {
namespace {

// The second coding of an exchange draws other numbers than the first.
constexpr std::uint64_t kSecondCoding = std::uint64_t{1} << 40;

class Shard final : public ExchangeScheme {
public:
    Shard(const MessageCompressor& compressor, const ExchangeView& view)
        : compressor_(compressor), view_(view), most_((view.elements + view.ranks - 1) / view.ranks) {
        std::int64_t row = 0;
        for (int rank = 0; rank < view.ranks; ++rank) {
            coders_.emplace_back(compressor, segmentsWithin(view.segments, beginOf(rank), sizeOf(rank)),
                                 view.options.dtype().itemsize());
            row = std::max(row, coders_.back().messageBytes());
        }
        const auto bytes = view.options.dtype(at::kByte);
        // Cleared, so that the end of a short row is the same in every run.
        toOwners_ = at::zeros({view.ranks, row}, bytes);
        received_ = at::zeros({view.ranks, row}, bytes);
        own_ = at::zeros({row}, bytes);
        means_ = at::zeros({view.ranks, row}, bytes);
        mean_ = at::zeros({sizeOf(view.rank)}, view.options);
        if (view.feedback) error_ = at::zeros_like(mean_);
    }
    [[nodiscard]] int stages() const override { return 2; }
    void encode(at::Tensor p, std::uint64_t counter) override {
        Draws draws(codingSeed(view_, view_.rank, counter));
        for (int part = 0; part < view_.ranks; ++part) {
            const at::Tensor numbers = p.narrow(0, beginOf(part), sizeOf(part));
            coderOf(part).encode(numbers, toOwners_[part], draws);
            if (view_.feedback) coderOf(part).decode(toOwners_[part], -1, numbers, draws);
        }
    }
    Pending launch(Communicator& comm, int stage) override {
        return stage == 0 ? comm.allToAll(toOwners_, received_) : comm.allGather(own_, means_);
    }
    void recode(double factor, std::uint64_t counter) override {
        Draws draws(codingSeed(view_, view_.rank, kSecondCoding + counter));
        mean_.zero_();
        for (int rank = 0; rank < view_.ranks; ++rank) {
            coderOf(view_.rank).decode(received_[rank], 1.0 / view_.ranks, mean_, draws);
        }
        if (view_.feedback) mean_.add_(error_, view_.errorDecay * factor);
        coderOf(view_.rank).encode(mean_, own_, draws);
        if (!view_.feedback) return;
        coderOf(view_.rank).decode(own_, -1, mean_, draws);
        error_.copy_(mean_);
    }
    void decode(at::Tensor out, std::uint64_t) override {
        Draws none(0);
        for (int part = 0; part < view_.ranks; ++part) {
            coderOf(part).decode(means_[part], 1, out.narrow(0, beginOf(part), sizeOf(part)), none);
        }
    }
    [[nodiscard]] double squareOfOtherErrors() const override {
        return view_.feedback ? view_.ranks * error_.square().sum(at::kDouble).item<double>() : 0;
    }
    void addSent(at::Tensor out, double scale) override {
        Draws none(0);
        for (int part = 0; part < view_.ranks; ++part) {
            coderOf(part).decode(toOwners_[part], scale, out.narrow(0, beginOf(part), sizeOf(part)), none);
        }
    }
    [[nodiscard]] std::int64_t bytes(int stage) const override { return stage == 0 ? toOwners_.numel() : own_.numel(); }
    [[nodiscard]] Passes passes() const override {
        const auto properties = compressor_.properties();
        const double coding = properties.encodePasses + (view_.feedback ? properties.decodePasses : 0);
        return {.encode = coding,
                .recode = properties.decodePasses + coding / view_.ranks,
                .decode = properties.decodePasses};
    }
    [[nodiscard]] NamedTensors kept() override {
        if (!view_.feedback) return {};
        return {{"error_of_part", &error_}};
    }
    [[nodiscard]] NamedTensors underWay() override { return {{"received", &received_}, {"means", &means_}}; }

private:
    [[nodiscard]] std::int64_t beginOf(int part) const { return std::min(part * most_, view_.elements); }
    [[nodiscard]] std::int64_t sizeOf(int part) const { return beginOf(part + 1) - beginOf(part); }
    [[nodiscard]] const Coder& coderOf(int part) const { return coders_[static_cast<std::size_t>(part)]; }

    const MessageCompressor& compressor_;
    ExchangeView view_;
    std::int64_t most_;  // numbers of a part
    std::vector<Coder> coders_;
    at::Tensor toOwners_, received_;  // uint8 [P, row]
    at::Tensor own_, means_;          // uint8 [row], [P, row]
    at::Tensor mean_, error_;         // of the own part
};

}  // namespace

std::unique_ptr<ExchangeScheme> shardScheme(const MessageCompressor& compressor, const ExchangeView& view) {
    return std::make_unique<Shard>(compressor, view);
}

}  // namespace dasgd
