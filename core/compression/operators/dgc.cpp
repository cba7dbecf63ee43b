// Deep Gradient Compression (Lin et al., arXiv 1712.01887), with g the gradient, and u = v = 0 at first:
//
//   u ← μ·u + g    v ← v + u    the k = max(1, ⌈ratio·n⌉) largest of v are sent, and there u ← 0 and v ← 0
//
// for each parameter of n numbers; the result is the mean over all ranks of what they sent. Parameters of one dimension
// travel whole. In the first epochs the ratio is that of `warmup`.
//
// Checked against the authors' code (synxlin/deep-gradient-compression, dgc/compression.py and memory.py). Variants: k
// is exact, while the code takes a threshold from a sample; what travels whole has no momentum, while the code gives
// its mean one; gradients are not clipped (train.gradient_clip).
//
// A message holds places and values of each parameter in turn. Sends m(P−1). Memory: 2N for u and v, and P messages.
#include <torch/types.h>

#include <cstring>
#include <string>

#include "core/compression/bits.h"
#include "core/compression/operators/largest.h"
#include "core/compression/scheme.h"

namespace dasgd {
namespace {

struct DgcParams {
    double ratio = 0.001;
    double momentum = 0.9;
    std::vector<double> warmup;
    void visit(auto&& f) {
        f(ratio, "ratio",
          {.min = 0, .max = 1, .minOpen = true, .help = "Share of the numbers of a parameter that are sent"});
        f(momentum, "momentum",
          {.min = 0,
           .max = 1,
           .maxOpen = true,
           .symbol = "μ",
           .help = "Momentum of the gradients before they are sent"});
        f(warmup, "warmup",
          {.min = 0,
           .max = 1,
           .minOpen = true,
           .help = "Ratio in each of the first epochs, as [0.25, 0.063, 0.015, 0.004]"});
    }
};

class DgcScheme final : public ExchangeScheme {
public:
    DgcScheme(const DgcParams& params, const ExchangeView& view)
        : params_(params), view_(view), elementBytes_(static_cast<std::int64_t>(view.options.dtype().itemsize())) {
        std::int64_t most = bytesAt(params.ratio);
        for (const double ratio : params.warmup) most = std::max(most, bytesAt(ratio));
        message_ = at::zeros({most}, view.options.dtype(at::kByte));
        all_ = at::zeros({view.ranks * most}, view.options.dtype(at::kByte));
        u_ = at::zeros({view.elements}, view.options);
        v_ = at::zeros({view.elements}, view.options);
    }
    void encode(at::Tensor p, std::uint64_t) override {
        withNumbers(p, [&]<class T>(const T* gradient) {
            auto* to = static_cast<std::byte*>(message_.data_ptr());
            for (const Segment& segment : view_.segments) {
                const T* from = gradient + segment.offset;
                const std::int64_t k = sentOf(segment, ratio());
                if (k == 0) {
                    std::memcpy(to, from, static_cast<std::size_t>(segment.elements) * sizeof(T));
                    to += segment.elements * elementBytes_;
                    continue;
                }
                T* u = u_.data_ptr<T>() + segment.offset;
                T* v = v_.data_ptr<T>() + segment.offset;
                const T momentum = static_cast<T>(params_.momentum);
                for (std::int64_t i = 0; i < segment.elements; ++i) {
                    u[i] = momentum * u[i] + from[i];
                    v[i] += u[i];
                }
                std::byte* values = to + k * kPlaceBytes;
                for (const std::int64_t i : largestPlaces(v, segment.elements, k)) {
                    const auto place = static_cast<std::uint32_t>(i);
                    std::memcpy(to, &place, kPlaceBytes);
                    std::memcpy(values, v + i, sizeof(T));
                    to += kPlaceBytes;
                    values += sizeof(T);
                    u[i] = v[i] = 0;
                }
                to = values;
            }
        });
    }
    Pending launch(Communicator& comm, int) override {
        at::Tensor all = all_.narrow(0, 0, view_.ranks * bytes(0)).view({view_.ranks, bytes(0)});
        return comm.allGather(message_.narrow(0, 0, bytes(0)), all);
    }
    void decode(at::Tensor out, std::uint64_t) override {
        withNumbers(out, [&]<class T>(T* result) {
            const T scale = static_cast<T>(1.0 / view_.ranks);
            const auto* from = static_cast<const std::byte*>(all_.data_ptr());
            const auto add = [&](T* to, const std::byte* value) {
                T number{};
                std::memcpy(&number, value, sizeof(T));
                *to += scale * number;
            };
            for (int rank = 0; rank < view_.ranks; ++rank) {
                for (const Segment& segment : view_.segments) {
                    T* to = result + segment.offset;
                    const std::int64_t k = sentOf(segment, ratio());
                    const std::byte* values = from + k * kPlaceBytes;
                    for (std::int64_t i = 0; i < k; ++i) {
                        std::uint32_t place = 0;
                        std::memcpy(&place, from + i * kPlaceBytes, kPlaceBytes);
                        add(to + place, values + i * elementBytes_);
                    }
                    for (std::int64_t i = 0; i < segment.elements && k == 0; ++i) {
                        add(to + i, values + i * elementBytes_);
                    }
                    from = values + (k > 0 ? k : segment.elements) * elementBytes_;
                }
            }
        });
    }

    [[nodiscard]] std::int64_t bytes(int) const override { return bytesAt(ratio()); }
    // u and v are read and written, g is read, and what is sent cleared; v is searched.
    [[nodiscard]] Passes passes() const override {
        const double sent = static_cast<double>(bytes(0)) / static_cast<double>(view_.elements * elementBytes_);
        return {.encode = 6 + kPassesOfLargest + 2 * sent, .decode = 3 * sent * view_.ranks};
    }
    [[nodiscard]] NamedTensors kept() override { return {{"momentum", &u_}, {"unsent", &v_}}; }
    [[nodiscard]] NamedTensors underWay() override { return {{"messages", &all_}}; }

private:
    [[nodiscard]] double ratio() const {
        const std::int64_t epoch = view_.epoch();
        const bool warm = epoch < static_cast<std::int64_t>(params_.warmup.size());
        return warm ? params_.warmup[static_cast<std::size_t>(epoch)] : params_.ratio;
    }
    // Number k of a parameter; 0: it travels whole.
    [[nodiscard]] static std::int64_t sentOf(const Segment& segment, double ratio) {
        return segment.rows > 0 ? countOf(ratio, segment.elements) : 0;
    }
    [[nodiscard]] std::int64_t bytesAt(double ratio) const {
        std::int64_t bytes = 0;
        for (const Segment& segment : view_.segments) {
            const std::int64_t k = sentOf(segment, ratio);
            bytes += k > 0 ? k * (kPlaceBytes + elementBytes_) : segment.elements * elementBytes_;
        }
        return bytes;
    }

    DgcParams params_;
    ExchangeView view_;
    std::int64_t elementBytes_;
    at::Tensor message_, all_;  // uint8, as long as the longest message, and P of them
    at::Tensor u_, v_;          // [N]
};

class Dgc final : public Compressor {
public:
    explicit Dgc(const DgcParams& params) : params_(params) {}
    [[nodiscard]] Properties properties() const override {
        return {.gathers = true, .ownScheme = true, .ownMomentum = true, .warmsUp = !params_.warmup.empty()};
    }
    [[nodiscard]] std::optional<FieldError> check(const std::vector<std::vector<std::int64_t>>& shapes) const override {
        if (std::ranges::any_of(shapes, [](const auto& shape) { return shape.size() > 1; })) return std::nullopt;
        return FieldError{"name", "all parameters of the model have one dimension, which dgc sends whole: choose topk"};
    }
    [[nodiscard]] std::unique_ptr<ExchangeScheme> makeScheme(const ExchangeView& view) const override {
        return std::make_unique<DgcScheme>(params_, view);
    }

private:
    DgcParams params_;
};

const CompressorRegistry::Add<Dgc, DgcParams> kDgcEntry{
    "dgc", "The largest of what momentum has added up since it was last sent", "arXiv 1712.01887"};

}  // namespace
}  // namespace dasgd
