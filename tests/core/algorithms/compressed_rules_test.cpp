// Algorithms beside operators, each against both rules in plain doubles: the algorithm's with m = r + ⟨c⟩
// (algorithms.md D6), and the operator's of D3. coded_mean_test.cpp has them with signs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <random>

#include "core/base/random.h"
#include "tests/support/compression_oracle.h"

namespace dasgd::test {
namespace {

constexpr double kRoundingOfRules = 1e-11;
constexpr std::uint64_t kRunSeed = 1;

// Numbers of a coding's stream, one for each number that is coded.
class SerialDraws {
public:
    void begin(int rank, std::uint64_t counter) {
        engine_.seed(streamSeed(kRunSeed, rank, StreamPurpose::Compression, counter));
    }
    double next() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

private:
    std::mt19937_64 engine_;
};

// The k = ⌈ratio·n⌉ largest.
Vec largestOf(const Vec& p, double ratio) {
    std::vector<std::size_t> places(p.size());
    std::iota(places.begin(), places.end(), 0);
    std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) { return std::abs(p[a]) > std::abs(p[b]); });
    Vec out(p.size(), 0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(std::ceil(ratio * static_cast<double>(p.size()))); ++i) {
        out[places[i]] = p[places[i]];
    }
    return out;
}

double largestMagnitude(const Vec& p) {
    double most = 0;
    for (const double number : p) most = std::max(most, std::abs(number));
    return most;
}

// Whole multiples of max/7, the nearest.
Vec wholeNumbersOf4Bits(const Vec& p) {
    const double unit = static_cast<float>(largestMagnitude(p) / 7);
    Vec out;
    for (const double number : p) out.push_back(unit == 0 ? 0 : unit * std::round(number / unit));
    return out;
}

// Eleven significant bits, down to multiples of 2⁻²⁴.
Vec halvesOf(const Vec& p) {
    Vec out;
    for (const double number : p) {
        const int exponent = number == 0 ? 0 : std::max(std::ilogb(number), -14);
        const double unit = std::ldexp(1.0, exponent - 10);
        out.push_back(std::nearbyint(number / unit) * unit);
    }
    return out;
}

// ±m·2⁻ʲ with j ≤ 6, or 0: the nearest, middles away from zero.
Vec powersOf(const Vec& p) {
    const double most = static_cast<float>(largestMagnitude(p));
    Vec out;
    for (const double number : p) {
        double best = 0;
        for (int j = 6; j >= 0; --j) {
            const double candidate = std::ldexp(most, -j);
            if (std::abs(std::abs(number) - candidate) <= std::abs(std::abs(number) - best)) best = candidate;
        }
        out.push_back(std::copysign(best, number));
    }
    return out;
}

// ‖p‖₂·sign·ℓ/3 with ℓ = ⌊3·|p|/‖p‖₂ + u⌋.
Vec drawnLevelsOf(const Vec& p, SerialDraws& draws) {
    double squares = 0;
    for (const double number : p) squares += number * number;
    const double norm = static_cast<float>(std::sqrt(squares));
    Vec out;
    for (const double number : p) {
        const double u = draws.next();
        const double level = norm == 0 ? 0 : std::min(3.0, std::floor(3 * std::abs(number) / norm + u));
        out.push_back(std::copysign(level * norm / 3, number));
    }
    return out;
}

// k = ⌈ratio·n⌉ numbers, at places of which each set is equally likely: one draw for each place, which is taken where
// u·(places left) < (numbers left).
Vec numbersAtDrawnPlaces(const Vec& p, double ratio, SerialDraws& draws) {
    double left = std::ceil(ratio * static_cast<double>(p.size()));
    Vec out(p.size(), 0);
    for (std::size_t i = 0; i < p.size(); ++i) {
        if (draws.next() * static_cast<double>(p.size() - i) >= left) continue;
        out[i] = p[i];
        --left;
    }
    return out;
}

SerialCodedMean drawing(SerialCodedMean mean, int rank, Vec (*code)(const Vec&, SerialDraws&)) {
    const auto draws = std::make_shared<SerialDraws>();
    mean.code = [draws, code](const Vec& p) { return code(p, *draws); };
    // `rank` kEveryRank: all draw alike.
    mean.begins = [draws, rank](int ofRank, std::uint64_t counter) {
        draws->begin(rank == kEveryRank ? rank : ofRank, counter);
    };
    return mean;
}

class CompressedRules : public testing::TestWithParam<int> {
protected:
    [[nodiscard]] QuadraticProblem problem() const {
        return {.workers = GetParam(), .steps = 60, .rate = 0.05, .momentum = 0};
    }
    [[nodiscard]] std::vector<RankRecord> records(Fields algorithm, Fields compression) const {
        return train(compressed(problem().experiment(std::move(algorithm)), std::move(compression)));
    }
    void expectWay(const Trajectory& expected, Fields algorithm, Fields compression) const {
        expectSame(recorded(records(std::move(algorithm), std::move(compression))), expected, kRoundingOfRules);
    }
};

Vec apartFrom(const Vec& a, const Vec& b) {
    Vec out = a;
    for (std::size_t j = 0; j < out.size(); ++j) out[j] -= b[j];
    return out;
}
void add(Vec& to, const Vec& a) {
    for (std::size_t j = 0; j < to.size(); ++j) to[j] += a[j];
}

TEST_P(CompressedRules, LocalSgdWithTheLargest) {
    SerialCodedMean coded{.shard = false, .code = [](const Vec& p) { return largestOf(p, 0.4); }};
    Vec reference = problem().start;
    const Trajectory expected = serial(problem(), [&](std::int64_t k, Workers& w) {
        if (k % 3 != 0) return;
        Workers x;
        for (const Vec& one : w) x.push_back(apartFrom(one, reference));
        add(reference, coded.mean(x));
        w.assign(w.size(), reference);
    });
    expectWay(expected, {{"name", text("local_sgd")}, {"period", integer(3)}},
              {{"name", text("topk")}, {"ratio", number(0.4)}});
}

TEST_P(CompressedRules, DasgdWithDrawnLevels) {
    for (const bool shard : {false, true}) {
        SerialCodedMean coded = drawing({.shard = shard, .feedback = false}, 0, drawnLevelsOf);
        Vec reference = problem().start;
        Vec next;
        const Trajectory expected = serial(problem(), [&](std::int64_t k, Workers& w) {
            if (k % 4 == 2 && k > 4) {
                reference = next;
                for (Vec& one : w) {
                    for (std::size_t j = 0; j < one.size(); ++j) one[j] = 0.25 * one[j] + 0.75 * reference[j];
                }
            }
            if (k % 4 != 0) return;
            Workers x;
            for (const Vec& one : w) x.push_back(apartFrom(one, reference));
            next = reference;
            add(next, coded.mean(x));
        });
        expectWay(expected, {{"name", text("dasgd")}, {"period", integer(4)}, {"delay", integer(2)}},
                  {{"name", text("qsgd")}, {"levels", integer(3)}, {"scheme", text(shard ? "shard" : "gather")}});
    }
}

// After the pull a worker's part of the new centre is (1/P − α − α²/(1−α))·z + α/(1−α)·x: P times that is coded, as its
// difference from z.
TEST_P(CompressedRules, EasgdWithWholeNumbers) {
    constexpr double kPull = 0.1;
    const double ranks = problem().workers, ofWorker = kPull / (1 - kPull);
    SerialCodedMean coded{.shard = false, .feedback = false, .code = wholeNumbersOf4Bits};
    Vec z = problem().start;
    const Trajectory expected = serial(problem(), [&](std::int64_t k, Workers& w) {
        if (k % 4 != 0) return;
        Workers x;
        for (Vec& one : w) {
            Vec part(one.size());
            for (std::size_t j = 0; j < one.size(); ++j) {
                one[j] = (1 - kPull) * one[j] + kPull * z[j];
                part[j] = ranks * ((1 / ranks - kPull - kPull * ofWorker) * z[j] + ofWorker * one[j]) - z[j];
            }
            x.push_back(std::move(part));
        }
        add(z, coded.mean(x));
    });
    const auto got = records({{"name", text("easgd")}, {"period", integer(4)}, {"pull", number(kPull)}},
                             {{"name", text("int")}, {"bits", integer(4)}, {"scheme", text("gather")}});
    expectSame(recorded(got), expected, kRoundingOfRules);
    EXPECT_NEAR(got[0].sink.metrics.at("eval/loss").back().value, problem().meanLoss(z), 1e-9)
        << "the centre that is evaluated is the one that the others know";
}

Workers progressFrom(const Vec& theta, const Workers& w) {
    Workers x;
    for (const Vec& one : w) x.push_back(apartFrom(theta, one));
    return x;
}

TEST_P(CompressedRules, SlowMoWithDrawnPlaces) {
    SerialCodedMean coded = drawing({.shard = false}, kEveryRank, [](const Vec& p, SerialDraws& draws) {
        return numbersAtDrawnPlaces(p, 0.5, draws);
    });
    Vec theta = problem().start, u(3, 0);
    const Trajectory expected = serial(problem(), [&](std::int64_t k, Workers& w) {
        if (k % 4 != 0) return;
        const Vec delta = coded.mean(progressFrom(theta, w));
        for (std::size_t j = 0; j < u.size(); ++j) {
            u[j] = 0.5 * u[j] + delta[j];
            theta[j] -= u[j];
        }
        w.assign(w.size(), theta);
    });
    expectWay(expected, {{"name", text("slowmo")}, {"period", integer(4)}, {"slow_momentum", number(0.5)}},
              {{"name", text("randk")}, {"ratio", number(0.5)}});
}

// Outer SGD with Nesterov momentum, rate 0.7 and momentum 0.9, of elements from `begin` on.
struct OuterNesterov {
    Vec theta, velocity = Vec(theta.size(), 0);

    void step(const Vec& delta, std::size_t begin) {
        for (std::size_t j = 0; j < delta.size(); ++j) {
            double& v = velocity[begin + j];
            v = 0.9 * v + delta[j];
            theta[begin + j] -= 0.7 * (delta[j] + 0.9 * v);
        }
    }
};

TEST_P(CompressedRules, DiLoCoWithPowersOfTwo) {
    SerialCodedMean coded{.shard = true, .feedback = false, .code = powersOf};
    OuterNesterov outer{problem().start};
    const Trajectory expected = serial(problem(), [&](std::int64_t k, Workers& w) {
        if (k % 5 != 0) return;
        outer.step(coded.mean(progressFrom(outer.theta, w)), 0);
        w.assign(w.size(), outer.theta);
    });
    expectWay(expected, {{"name", text("diloco")}, {"period", integer(5)}}, {{"name", text("e3m0")}});
}

// The first two of three weights are a fragment. Fragments leave `delay` steps ahead of their outer steps, which come
// every three.
Trajectory codedStreaming(const QuadraticProblem& problem, std::int64_t delay, Vec (*code)(const Vec&)) {
    const std::size_t ends[] = {0, 2, 3};
    SerialCodedMean coded[2];
    for (SerialCodedMean& one : coded) one = {.shard = true, .feedback = false, .code = code};
    OuterNesterov outer{problem.start};
    std::map<std::int64_t, Vec> underWay;  // by the step of the outer step
    const auto turnAt = [](std::int64_t step) { return static_cast<std::size_t>((step / 3 - 1) % 2); };
    return serial(problem, [&](std::int64_t k, Workers& w) {
        const auto due = underWay.extract(k);
        if (due) {
            const std::size_t turn = turnAt(k);
            outer.step(due.mapped(), ends[turn]);
            for (Vec& one : w) {
                for (std::size_t j = ends[turn]; j < ends[turn + 1]; ++j) one[j] = 0.5 * outer.theta[j] + 0.5 * one[j];
            }
        }
        if ((k + delay) % 3 != 0) return;
        const std::size_t turn = turnAt(k + delay);
        Workers x = progressFrom(outer.theta, w);
        for (Vec& one : x) {
            one = Vec(one.begin() + static_cast<std::ptrdiff_t>(ends[turn]),
                      one.begin() + static_cast<std::ptrdiff_t>(ends[turn + 1]));
        }
        underWay[k + delay] = coded[turn].mean(x);
    });
}

Fields streamingAhead(std::int64_t delay) {
    return {{"name", text("streaming_diloco")},
            {"period", integer(6)},
            {"fragments", integer(2)},
            {"delay", integer(delay)},
            {"local_weight", number(0.5)}};
}

TEST_P(CompressedRules, StreamingDiLoCoWithHalves) {
    expectWay(codedStreaming(problem(), 1, halvesOf), streamingAhead(1), {{"name", text("fp16")}});
}

// The outer gradients of the paper, with one fragment under way and with two.
TEST_P(CompressedRules, StreamingDiLoCoWithPowersOfTwo) {
    for (const std::int64_t delay : {1, 4}) {
        expectWay(codedStreaming(problem(), delay, powersOf), streamingAhead(delay), {{"name", text("e3m0")}});
    }
}

INSTANTIATE_TEST_SUITE_P(Workers, CompressedRules, testing::Values(1, 2, 4, 7));

}  // namespace
}  // namespace dasgd::test
