// compression_bench [ELEMENTS [OPERATOR]]: what coding a vector costs, on one core, for each operator of [compression],
// with its default fields and some others; of those with a scheme of their own "decode" is all that follows on
// encoding, over matrices of 1000 rows in ten parameters, and of those for pairs the move towards the other:
// milliseconds of encode, decode, and a copy of as many float32 numbers (25 million), and (encode + decode) ÷ copy. The
// three are taken in turn; medians of kTurns turns. `draw` is a draw a number, by itself.
#include <ATen/Parallel.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "core/compression/coder.h"
#include "core/compression/scheme.h"
#include "tests/support/document.h"

namespace dasgd::test {
namespace {

constexpr int kTurns = 7;

// Of the processor, so that other programs count little.
double millisecondsOf(const std::function<void()>& work) {
    const std::clock_t begun = std::clock();
    work();
    return 1e3 * static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + kTurns / 2, values.end());
    return values[kTurns / 2];
}

struct Case {
    std::string name, what;
    Fields fields;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const std::string& name : CompressorRegistry::names()) all.push_back({name, "", {}});
    all.push_back({"int", "4 bits", {{"bits", integer(4)}}});
    all.push_back({"int", "3 bits", {{"bits", integer(3)}}});
    all.push_back({"int", "stochastic", {{"rounding", text("stochastic")}}});
    all.push_back({"qsgd", "nearest", {{"rounding", text("nearest")}}});
    all.push_back({"qsgd", "127 levels of max", {{"levels", integer(127)}, {"norm", text("max")}}});
    for (const std::int64_t rank : {2, 4, 8}) {
        all.push_back({"powersgd", "rank " + std::to_string(rank), {{"rank", integer(rank)}}});
    }
    all.push_back({"powersgd", "rank 4, square", {{"rank", integer(4)}, {"view", text("square")}}});
    all.push_back({"sketch", "1 row", {{"rows", integer(1)}}});
    all.push_back({"topk", "10 %", {{"ratio", number(0.1)}}});
    all.push_back({"topk",
                   "64 of 4096, 2 bits",
                   {{"ratio", number(64.0 / 4096)}, {"block", integer(4096)}, {"value_bits", integer(2)}}});
    return all;
}

void print(const std::string& name, double encode, double decode, double copy) {
    std::printf("%-24s encode %7.1f ms  decode %7.1f ms  copy %6.1f ms  ratio %6.2f\n", name.c_str(), encode, decode,
                copy, (encode + decode) / copy);
}

// Both take the number of the turn, from 1.
using Coding = std::function<void(int)>;

void measureCoding(const Case& one, const at::Tensor& x, const Coding& encode, const Coding& decode) {
    at::Tensor copied = at::zeros_like(x);
    std::vector<double> encodes, decodes, copies;
    for (int turn = 1; turn <= kTurns; ++turn) {
        encodes.push_back(millisecondsOf([&] { encode(turn); }));
        decodes.push_back(millisecondsOf([&] { decode(turn); }));
        copies.push_back(millisecondsOf([&] {
            std::memcpy(copied.data_ptr(), x.data_ptr(), static_cast<std::size_t>(x.numel() * x.element_size()));
        }));
    }
    print(one.what.empty() ? one.name : one.name + ", " + one.what, median(encodes), median(decodes), median(copies));
}

void measureMessages(const Case& one, const MessageCompressor& compressor, const at::Tensor& x) {
    at::Tensor decoded = at::zeros_like(x);
    const Coder coder(compressor, {{0, x.numel()}}, x.element_size());
    at::Tensor message = at::zeros({coder.messageBytes()}, at::kByte);
    const auto encode = [&](int) {
        Draws draws(1);
        coder.encode(x, message, draws);
    };
    measureCoding(one, x, encode, [&](int) {
        Draws draws(1);
        coder.decode(message, 0.5, decoded, draws);
    });
}

void measureScheme(const Case& one, const Compressor& compressor, const at::Tensor& x) {
    at::Tensor coded = x.clone(), decoded = at::zeros_like(x);
    ExchangeView view{.elements = x.numel(), .options = x.options(), .feedback = compressor.properties().feedback};
    const std::int64_t part = x.numel() / 10 / 1000 * 1000;
    for (int i = 0; i < 10 && part > 0; ++i) view.segments.push_back({i * part, part, 1000});
    if (part * 10 < x.numel()) view.segments.push_back({part * 10, x.numel() - part * 10});
    const auto scheme = compressor.makeScheme(view);
    const auto encode = [&](int turn) { scheme->encode(coded, static_cast<std::uint64_t>(turn)); };
    measureCoding(one, x, encode, [&](int turn) {
        if (scheme->stages() > 1) scheme->recode(1, static_cast<std::uint64_t>(turn));
        scheme->decode(decoded, static_cast<std::uint64_t>(turn));
    });
}

void measurePairs(const Case& one, const PairCompressor& compressor, const at::Tensor& x) {
    at::Tensor moved = x.clone();
    std::vector<std::byte> message(static_cast<std::size_t>(compressor.messageBytes(x.numel())));
    const auto encode = [&](int) { static_cast<void>(compressor.encode(x, message.data())); };
    measureCoding(one, x, encode, [&](int) { compressor.approach(message.data(), moved, 0.5, moved); });
}

void measure(const at::Tensor& x, const std::string& only) {
    for (const Case& one : cases()) {
        if (!only.empty() && one.name != only) continue;
        const auto made = CompressorRegistry::find(one.name)->create(table(one.fields), {}).value();
        const auto* pairs = dynamic_cast<const PairCompressor*>(made.get());
        const auto* compressor = dynamic_cast<const MessageCompressor*>(made.get());
        if (pairs) {
            measurePairs(one, *pairs, x);
        } else {
            compressor ? measureMessages(one, *compressor, x) : measureScheme(one, *made, x);
        }
    }
    std::vector<double> draws;
    std::vector<double> drawn(1024);
    for (int turn = 0; turn < kTurns; ++turn) {
        Draws source(1);
        draws.push_back(millisecondsOf([&] {
            for (std::int64_t i = 0; i < x.numel(); i += 1024) source.fill(drawn.data(), 1024);
        }));
    }
    std::printf("draw %.1f ms\n", median(draws));
}

}  // namespace
}  // namespace dasgd::test

int main(int argc, char** argv) {
    const long long elements = argc > 1 ? std::atoll(argv[1]) : 25'000'000;
    if (argc > 3 || elements < 1) {
        std::fprintf(stderr, "usage: compression_bench [ELEMENTS [OPERATOR]]\n");
        return 2;
    }
    at::set_num_threads(1);
    const at::NoGradGuard noGradients;
    dasgd::test::measure(at::randn({elements}) * 1e-3, argc > 2 ? argv[2] : "");
}
