#include "core/cost/communication_pattern.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "core/base/check.h"

namespace dasgd {

namespace {

constexpr double kBytesOfMebibyte = 1048576;
constexpr double kMostSteps = 1e15;

Result<double> numberOf(const PatternNumber& number, const PatternValues& values) {
    if (number.field.empty()) return number.value;
    const std::optional<std::string> text = values(number.field);
    if (text == "true") return 1;
    if (text == "false") return 0;
    char* end = nullptr;
    const double read = text ? std::strtod(text->c_str(), &end) : 0;
    if (!text || text->empty() || *end != '\0' || !std::isfinite(read)) {
        return fail("its field " + number.field + " has no number");
    }
    return read;
}

Result<std::int64_t> countOf(const PatternNumber& number, const PatternValues& values,
                             double most = std::numeric_limits<int>::max()) {
    DASGD_ASSIGN(const double read, numberOf(number, values));
    if (read < 0 || read > most || read != std::floor(read)) {
        return fail("its field " + number.field + " is no number of steps, fragments, peers or servers");
    }
    return static_cast<std::int64_t>(read);
}

Result<CommunicationRound> gradientsOf(const CommunicationPattern& pattern, const PatternValues& values) {
    CommunicationRound round{.gradients = true};
    DASGD_ASSIGN(const double mebibytes, numberOf(pattern.firstBucketMb, values));
    round.firstBucketBytes = mebibytes * kBytesOfMebibyte;
    return round;
}

Result<CommunicationRound> averagesOf(const CommunicationPattern& pattern, const PatternValues& values) {
    CommunicationRound round;
    DASGD_ASSIGN(const std::int64_t period, countOf(pattern.period, values));
    DASGD_ASSIGN(const std::int64_t fragments, countOf(pattern.fragments, values));
    DASGD_ASSIGN(round.delay, countOf(pattern.delay, values));
    DASGD_ASSIGN(round.peers, countOf(pattern.peers, values));
    DASGD_ASSIGN(round.servers, countOf(pattern.servers, values));
    DASGD_ASSIGN(const double share, numberOf(pattern.share, values));
    if (fragments < 1 || period < fragments || period % fragments != 0) {
        return fail("a period of " + std::to_string(period) + " steps has no " + std::to_string(fragments) +
                    " equal parts");
    }
    round.fragments = fragments;
    round.period = period / fragments;
    round.share = share / static_cast<double>(fragments);
    round.ownCoding = pattern.ownCoding;
    const std::int64_t most = round.period - (pattern.delayBelowInterval ? 1 : 0);
    if (round.delay > most) {
        return fail("a delay of " + std::to_string(round.delay) + " does not fit averages every " +
                    std::to_string(round.period) + " steps");
    }
    return round;
}

// Makes the exchanges of `round` compressed ones.
Status compress(CommunicationRound& round, const CommunicationPattern& pattern, const CompressedExchange& compressed,
                std::int64_t steps) {
    const std::string first = "first " + std::to_string(compressed.wholeSteps);
    if (steps > 0 && steps <= compressed.wholeSteps) {
        round.assumes.push_back("All steps are among the " + first + ", whose exchanges travel whole.");
        return {};
    }
    if (!compressed.why.empty()) return fail(compressed.why);
    if (!pattern.coding) {
        return fail(pattern.whyNoCoding.empty() ? "it declares no formula for compressed exchanges"
                                                : pattern.whyNoCoding);
    }
    if (round.fragments > 1) return fail("the messages of its compressed fragments are of different sizes");
    round.compressed = compressed;
    round.compressed->passes.encode += pattern.coding->encode;
    round.compressed->passes.decode += pattern.coding->decode;
    if (compressed.wholeSteps > 0) {
        round.assumes.push_back("The " + first + " steps, whose exchanges travel whole, are left out.");
    }
    return {};
}

}  // namespace

CommunicationPattern noFormula(std::string why) {
    return {.kind = CommunicationPattern::Kind::NoFormula, .why = std::move(why)};
}

CommunicationPattern averagesEvery(PatternNumber period, PatternNumber delay) {
    return {.kind = CommunicationPattern::Kind::Averages, .period = std::move(period), .delay = std::move(delay)};
}

PatternLimit averagedStateLimit() {
    return {"optimizer_state", "average", "optimizer_state = \"average\" sends more than the weights"};
}

Result<CommunicationRound> roundOf(const CommunicationPattern& pattern, const PatternValues& values, std::int64_t steps,
                                   const CompressedExchange* compressed) {
    using Kind = CommunicationPattern::Kind;
    if (pattern.kind == Kind::Undeclared) return fail("it declares no communication pattern");
    if (pattern.kind == Kind::NoFormula) return fail(pattern.why);
    for (const PatternLimit& limit : pattern.limits) {
        if ((values(limit.field) == limit.value) != limit.unless) return fail(limit.why);
    }
    if (pattern.kind == Kind::None) return CommunicationRound{.sends = false, .share = 0, .assumes = pattern.assumes};
    DASGD_ASSIGN(const std::int64_t first, countOf(pattern.gradientSteps, values, kMostSteps));
    const bool onlyFirst = pattern.kind == Kind::Averages && steps > 0 && steps <= first;
    const bool gradients = pattern.kind == Kind::Gradients || onlyFirst;
    DASGD_ASSIGN(CommunicationRound round, gradients ? gradientsOf(pattern, values) : averagesOf(pattern, values));
    round.assumes = pattern.assumes;
    if (onlyFirst) {
        round.assumes.push_back("All steps are among the first " + std::to_string(first) +
                                ", which average gradients.");
    } else if (first > 0) {
        round.assumes.push_back("The first " + std::to_string(first) +
                                " steps, which average gradients, are left out.");
    }
    if (compressed && !onlyFirst) DASGD_TRY(compress(round, pattern, *compressed, steps));
    return round;
}

CommunicationRound withMessages(CommunicationRound round, double bytes, int ranks) {
    if (!round.ownCoding) return round;
    const OwnCoding coding = *std::exchange(round.ownCoding, std::nullopt);
    if (ranks < 2) return round;
    const double message = bytes * round.share * coding.share;
    using Collective = CompressedExchange::Collective;
    round.compressed = CompressedExchange{
        .why = {},
        .stages = {{Collective::AllToAll, std::llround(message)},
                   {Collective::AllGather, std::llround(message / ranks)}},
        .passes = {
            .encode = coding.encode, .recode = coding.recode + coding.recodeOfPart / ranks, .decode = coding.decode}};
    return round;
}

ExchangeSeconds exchangeSeconds(const CommunicationRound& round, const AllReduceKind& kind, const LinkCost& link,
                                double bytes, int ranks, double memoryBytesPerSecond) {
    DASGD_CHECK(!round.ownCoding && "withMessages() comes first");
    if (!round.sends) return {};
    if (round.compressed) {
        const auto& [encode, recode, decode] = round.compressed->passes;
        const double pass = memoryBytesPerSecond > 0 ? bytes / memoryBytesPerSecond : 0;
        ExchangeSeconds exchange{.encode = encode * pass, .recode = recode * pass, .decode = decode * pass};
        const std::vector<CompressedExchange::Stage>& stages = round.compressed->stages;
        exchange.first = stageSeconds(stages.front(), kind, link, ranks);
        if (stages.size() > 1) exchange.second = stageSeconds(stages.back(), kind, link, ranks);
        return exchange;
    }
    if (ranks < 2) return {};
    const double leaves = bytes * round.share;
    if (round.servers > 0) {
        const auto servers = static_cast<int>(std::min<std::int64_t>(round.servers, ranks - 1));
        return {.first = 2 * messagesSeconds(link, leaves / servers, std::max(ranks - servers, servers))};
    }
    if (round.peers == 0) return {.first = allReduceSeconds(kind, link, leaves, ranks)};
    return {.first = messagesSeconds(link, leaves, static_cast<int>(std::min<std::int64_t>(round.peers, ranks - 1)))};
}

std::int64_t sentInExchange(const CommunicationRound& round, std::int64_t bytes, int ranks) {
    DASGD_CHECK(round.peers == 0 && round.servers == 0 && !round.ownCoding);
    if (!round.sends) return 0;
    std::int64_t sent = 0;
    if (round.compressed) {
        for (const CompressedExchange::Stage& stage : round.compressed->stages) sent += sentInStage(stage, ranks);
        return sent;
    }
    const auto leaves = static_cast<std::int64_t>(static_cast<double>(bytes) * round.share);
    return sentInStage({CompressedExchange::Collective::AllReduce, leaves}, ranks);
}

double roundStepSeconds(const CommunicationRound& round, double compute, const ExchangeSeconds& exchange,
                        double contention) {
    return exchangeStepSeconds(compute, exchange, static_cast<int>(round.period), static_cast<int>(round.delay),
                               contention);
}

std::int64_t periodFor(const CommunicationPattern& pattern, const CommunicationRound& round, std::int64_t delay) {
    return std::max<std::int64_t>(1, round.fragments * (delay + (pattern.delayBelowInterval ? 1 : 0)));
}

std::vector<std::string> fieldsOf(const CommunicationPattern& pattern) {
    std::vector<std::string> fields;
    const auto add = [&](const std::string& field) {
        if (!field.empty() && std::ranges::find(fields, field) == fields.end()) fields.push_back(field);
    };
    for (const PatternNumber* number :
         {&pattern.period, &pattern.delay, &pattern.fragments, &pattern.share, &pattern.peers, &pattern.servers,
          &pattern.gradientSteps, &pattern.firstBucketMb}) {
        add(number->field);
    }
    for (const PatternLimit& limit : pattern.limits) add(limit.field);
    return fields;
}

}  // namespace dasgd
