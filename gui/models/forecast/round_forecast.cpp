#include "gui/models/forecast/round_forecast.h"

#include <algorithm>
#include <cmath>

#include "core/cost/step_time.h"

namespace dasgd::gui {

namespace {

constexpr int kRounds = 2;
constexpr double kNoWait = 1e-9;  // fraction of a transfer

// Appends spans one after another; computing is slower during a transfer.
class RoundWriter {
public:
    explicit RoundWriter(RoundForecast& round) : round_(round) {}

    void launch(qint64 afterStep) {
        launched_ = now_;
        arrives_ = now_ + round_.input.communication;
        if (round_.input.communication > 0) add(SpanKind::Transfer, Lane::Comm, afterStep, now_, arrives_);
    }
    // Steps `from` to `to` of the round that begins after step `begin`.
    void steps(qint64 begin, int from, int to) {
        for (int step = from; step < to;) {
            const int count = std::min(round_.block, to - step);
            block(begin + step + 1, count);
            step += count;
        }
    }
    void merge(qint64 step) {
        const double missing = arrives_ - now_;
        // Differences from rounding are no wait.
        const double waited = missing > kNoWait * round_.input.communication ? missing : 0;
        if (waited > 0) add(SpanKind::Wait, Lane::Compute, step, now_, arrives_);
        now_ += waited;
        if (round_.input.communication > 0) round_.links.push_back({launched_, now_});
    }

private:
    void block(qint64 step, int count) {
        const RoundInput& in = round_.input;
        if (in.forwardShare <= 0 || round_.block > 1) {
            compute(SpanKind::Passes, step, count * in.compute, count);
            return;
        }
        compute(SpanKind::Forward, step, in.compute * in.forwardShare);
        compute(SpanKind::Backward, step, in.compute * (1 - in.forwardShare));
    }
    void compute(SpanKind kind, qint64 step, double work, int count = 1) {
        const double slowness = 1 + round_.input.contention;
        const double beside = std::min(work * slowness, std::max(0.0, arrives_ - now_));
        const double end = now_ + beside + (work - beside / slowness);
        add(kind, Lane::Compute, step, now_, end, count);
        now_ = end;
    }
    void add(SpanKind kind, Lane lane, qint64 step, double start, double end, int count = 1) {
        round_.spans.push_back({.kind = kind, .lane = lane, .step = step, .steps = count, .start = start, .end = end});
    }

    RoundForecast& round_;
    double now_ = 0, launched_ = 0, arrives_ = 0;
};

}  // namespace

std::optional<double> RoundForecast::hidden() const {
    if (input.communication <= 0) return std::nullopt;
    return 1 - blocked / input.communication;
}

Result<RoundForecast> forecastRound(const RoundInput& input) {
    RoundForecast round{.input = input};
    const RoundInput& in = round.input;
    if (in.period < 1 || in.delay < 0 || in.delay > in.period) {
        return fail("A delay of " + std::to_string(in.delay) + " does not fit a period of " +
                    std::to_string(in.period) + ".");
    }
    if (!(in.compute > 0) || !std::isfinite(in.compute)) return fail("The time of a local step is not above 0.");
    if (!(in.communication >= 0) || !std::isfinite(in.communication)) return fail("The time of an average is none.");
    round.steps = in.period;
    round.seconds = in.period * dasgdStepSeconds(in.compute, in.communication, in.period, in.delay, in.contention);
    const double missing = in.communication - in.delay * in.compute * (1 + in.contention);
    round.blocked = missing > kNoWait * in.communication ? missing : 0;
    round.block = (in.period - 1) / RoundForecast::kMostBlocks + 1;
    RoundWriter writer(round);
    for (int k = 0; k < kRounds; ++k) {
        const qint64 begin = static_cast<qint64>(k) * in.period;
        writer.launch(begin);
        writer.steps(begin, 0, in.delay);
        writer.merge(begin + std::min<qint64>(in.delay + 1LL, in.period));
        writer.steps(begin, in.delay, in.period);
    }
    std::ranges::stable_sort(round.spans, {}, &RoundSpan::start);
    return round;
}

int hidingDelay(const RoundInput& input) {
    return minimumDelay(input.communication / (1 + input.contention), input.compute);
}

}  // namespace dasgd::gui
