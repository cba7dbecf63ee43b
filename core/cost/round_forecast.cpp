#include "core/cost/round_forecast.h"

#include <algorithm>
#include <cmath>

namespace dasgd {

namespace {

constexpr int kRounds = 2;
constexpr double kNoWait = 1e-9;  // fraction of a transfer

// Appends spans one after another; computing is slower during a transfer.
class RoundWriter {
public:
    explicit RoundWriter(RoundForecast& round) : round_(round) {}

    void launch(std::int64_t afterStep) {
        work(SpanKind::Snapshot, afterStep, round_.input.exchange.encode);
        launched_ = now_;
        transfer(afterStep, round_.input.exchange.first);
    }
    // Ends the first stage, and begins the second.
    void proceed(std::int64_t step) {
        wait(step, round_.input.exchange.first);
        work(SpanKind::Merge, step, round_.input.exchange.recode);
        transfer(step, round_.input.exchange.second);
    }
    // Steps `from` to `to` of the round that begins after step `begin`.
    void steps(std::int64_t begin, int from, int to) {
        for (int step = from; step < to;) {
            const int count = std::min(round_.block, to - step);
            block(begin + step + 1, count);
            step += count;
        }
    }
    void merge(std::int64_t step) {
        const ExchangeSeconds& exchange = round_.input.exchange;
        wait(step, exchange.second > 0 ? exchange.second : exchange.first);
        if (exchange.transfers() > 0) round_.links.push_back({launched_, now_});
        work(SpanKind::Merge, step, exchange.decode);
    }

private:
    void transfer(std::int64_t step, double seconds) {
        arrives_ = now_ + seconds;
        if (seconds > 0) add(SpanKind::Transfer, Lane::Comm, step, now_, arrives_);
    }
    // Until the transfer under way, which takes `seconds`, has ended. Differences from rounding are no wait.
    void wait(std::int64_t step, double seconds) {
        const double missing = arrives_ - now_;
        if (missing <= kNoWait * seconds) return;
        add(SpanKind::Wait, Lane::Compute, step, now_, arrives_);
        now_ = arrives_;
    }
    void work(SpanKind kind, std::int64_t step, double seconds) {
        if (seconds <= 0) return;
        add(kind, Lane::Compute, step, now_, now_ + seconds);
        now_ += seconds;
    }
    void block(std::int64_t step, int count) {
        const RoundInput& in = round_.input;
        if (in.forwardShare <= 0 || round_.block > 1) {
            compute(SpanKind::Passes, step, count * in.compute, count);
            return;
        }
        compute(SpanKind::Forward, step, in.compute * in.forwardShare);
        compute(SpanKind::Backward, step, in.compute * (1 - in.forwardShare));
    }
    void compute(SpanKind kind, std::int64_t step, double work, int count = 1) {
        const double slowness = 1 + round_.input.contention;
        const double beside = std::min(work * slowness, std::max(0.0, arrives_ - now_));
        const double end = now_ + beside + (work - beside / slowness);
        add(kind, Lane::Compute, step, now_, end, count);
        now_ = end;
    }
    void add(SpanKind kind, Lane lane, std::int64_t step, double start, double end, int count = 1) {
        round_.spans.push_back({.kind = kind, .lane = lane, .step = step, .steps = count, .start = start, .end = end});
    }

    RoundForecast& round_;
    double now_ = 0, launched_ = 0, arrives_ = 0;
};

}  // namespace

Result<RoundForecast> forecastRound(const RoundInput& input) {
    RoundForecast round{.input = input};
    const RoundInput& in = round.input;
    if (in.period < 1 || in.delay < 0 || in.delay > in.period) {
        return fail("A delay of " + std::to_string(in.delay) + " does not fit a period of " +
                    std::to_string(in.period) + ".");
    }
    if (!(in.compute > 0) || !std::isfinite(in.compute)) return fail("The time of a local step is not above 0.");
    for (const double each :
         {in.exchange.first, in.exchange.second, in.exchange.encode, in.exchange.recode, in.exchange.decode}) {
        if (!(each >= 0) || !std::isfinite(each)) return fail("The time of an average is none.");
    }
    round.steps = in.period;
    round.stepSeconds = exchangeStepSeconds(in.compute, in.exchange, in.period, in.delay, in.contention);
    round.seconds = in.period * round.stepSeconds;
    round.slowdown = round.stepSeconds / in.compute;
    const StageDelays delays = stageDelays(in.exchange, in.delay);
    const auto exposed = [&](double transfer, int steps) {
        const double missing = transfer - steps * in.compute * (1 + in.contention);
        return missing > kNoWait * transfer ? missing : 0;
    };
    round.blocked = exposed(in.exchange.first, delays.first) + exposed(in.exchange.second, delays.second);
    if (const double transfers = in.exchange.transfers(); transfers > 0) round.hidden = 1 - round.blocked / transfers;
    round.block = (in.period - 1) / RoundForecast::kMostBlocks + 1;
    RoundWriter writer(round);
    for (int k = 0; k < kRounds; ++k) {
        const std::int64_t begin = static_cast<std::int64_t>(k) * in.period;
        writer.launch(begin);
        writer.steps(begin, 0, delays.first);
        if (in.exchange.second > 0 || in.exchange.recode > 0)
            writer.proceed(begin + std::min<std::int64_t>(delays.first + 1LL, in.period));
        writer.steps(begin, delays.first, in.delay);
        writer.merge(begin + std::min<std::int64_t>(in.delay + 1LL, in.period));
        writer.steps(begin, in.delay, in.period);
    }
    std::ranges::stable_sort(round.spans, {}, &RoundSpan::start);
    return round;
}

int hidingDelay(const RoundInput& input) {
    const double slowness = 1 + input.contention;
    return minimumDelay(
        ExchangeSeconds{.first = input.exchange.first / slowness, .second = input.exchange.second / slowness},
        input.compute);
}

}  // namespace dasgd
