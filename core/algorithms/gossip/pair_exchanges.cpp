#include "core/algorithms/gossip/pair_exchanges.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/sub.h>
#include <torch/types.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>

#include "core/base/metric_names.h"
#include "core/base/random.h"
#include "core/cost/memory/memory_passes.h"
#include "core/step/archive.h"

namespace dasgd {

namespace {

constexpr int kQuestionTag = 0;
constexpr int kAnswerTag = 1;
constexpr int kGoodbyeTag = 2;  // the sender asks no more
constexpr std::size_t kRanksToName = 8;

std::string listOfRanks(const std::vector<int>& ranks) {
    std::string text;
    for (std::size_t i = 0; i < std::min(ranks.size(), kRanksToName); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
    }
    return text + (ranks.size() > kRanksToName ? " …" : "");
}

// Of several neighbours one, drawn by the rank's own number.
int drawnOf(const std::vector<int>& partners, std::uint64_t seed, int rank, std::int64_t round) {
    if (partners.size() == 1) return partners.front();
    std::mt19937_64 draws(streamSeed(seed, rank, StreamPurpose::Graph, static_cast<std::uint64_t>(round)));
    const double u = static_cast<double>(draws() >> 11) * 0x1p-53;
    return partners[static_cast<std::size_t>(u * static_cast<double>(partners.size()))];
}

}  // namespace

std::optional<FieldError> PairExchanges::check(int ranks) const {
    if (auto refused = graph_->check(ranks)) return FieldError{"graph." + refused->field, refused->message};
    if (!graph_->isSymmetric()) {
        return FieldError{"graph.name",
                          "the two ranks of a pair move towards each other, and in this graph one hears another that "
                          "does not hear it: choose a symmetric graph, as random-pair or ring"};
    }
    if (!settings_.onlyOddRanksAsk) return std::nullopt;
    for (std::int64_t t = 0; t < graph_->period(ranks); ++t) {
        for (int rank = 0; rank < ranks; ++rank) {
            for (const Rank to : graph_->mix({.number = t, .size = ranks}, rank).to) {
                if ((to.value() - rank) % 2 != 0) continue;
                return FieldError{
                    "graph.name",
                    "odd ranks ask and even ranks answer, and in this graph of " + std::to_string(ranks) + " ranks " +
                        std::to_string(rank) + " and " + std::to_string(to.value()) +
                        " are neighbours, of which neither or both would ask: choose random-pair, line, or "
                        "a ring of an even number of ranks"};
            }
        }
    }
    return std::nullopt;
}

std::vector<int> PairExchanges::partnersIn(const GraphRound& round, int rank) const {
    std::vector<int> partners;
    for (const Rank to : graph_->mix(round, rank).to) {
        const int other = to.value();
        if ((asks(rank) && answers(other)) || (asks(other) && answers(rank))) partners.push_back(other);
    }
    return partners;
}

std::vector<int> PairExchanges::everyPartner(StepContext& context) const {
    const int size = context.comm().size(), own = context.comm().rank().value();
    const std::int64_t period = graph_->period(size);
    std::vector<bool> known(static_cast<std::size_t>(size), period == 0);
    for (std::int64_t t = 0; t < period; ++t) {
        for (const int other : partnersIn({.number = t, .size = size}, own)) {
            known[static_cast<std::size_t>(other)] = true;
        }
    }
    std::vector<int> all;
    for (int other = 0; other < size; ++other) {
        if (other != own && known[static_cast<std::size_t>(other)]) all.push_back(other);
    }
    return all;
}

void PairExchanges::begin(StepContext& context) {
    const int own = context.comm().rank().value();
    askers_.clear();
    answerers_.clear();
    for (const int other : everyPartner(context)) {
        if (asks(other) && answers(own)) askers_.push_back(other);
        if (asks(own) && answers(other)) answerers_.push_back(other);
    }
    if (compression_) coder_.emplace(compression_, context);
    if (!answerers_.empty()) {
        sent_ = at::empty_like(context.params().weights());
        asking_ = coder_ ? makeBuffer(context) : sent_;
        received_ = makeBuffer(context);
    }
    post(context);
}

at::Tensor PairExchanges::makeBuffer(StepContext& context) const {
    return coder_ ? coder_->makeMessage() : at::empty_like(context.params().weights());
}

std::int64_t PairExchanges::bytesOfBuffer(StepContext& context) const {
    return coder_ ? coder_->messageBytes() : context.params().bytes();
}

void PairExchanges::start(StepContext& context) {
    begin(context);
    if (coder_) coder_->recordRatio();
    if (context.comm().rank() != Rank{0} || context.params().shapesOnly()) return;
    context.record(metrics::kGraphDegree, largestDegree(*graph_, context.comm().size(), context.seed()));
}

// As many receives wait as ranks may ask, so that each question travels as soon as it is sent.
void PairExchanges::post(StepContext& context) {
    while (receiving_.size() < askers_.size()) {
        Place place;
        if (!answering_.empty() && answering_.front().message.done()) {
            place = std::move(answering_.front());
            answering_.pop_front();
            context.executor().waitFor(place.message, context.step(), bytesOfBuffer(context));
        } else {
            place.tensor = makeBuffer(context);
        }
        place.message = context.comm().receiveAny(place.tensor, kQuestionTag);
        receiving_.push_back(std::move(place));
    }
}

void PairExchanges::afterStep(StepContext& context) {
    takeAnswer(context);
    answerAll(context);
    if (context.ownSteps() % settings_.period == 0) ask(context);
}

void PairExchanges::ask(StepContext& context) {
    if (answer_ || answerers_.empty()) return;
    const Rank partner(nextPartner(context));
    const std::int64_t bytes = context.params().bytes();
    context.executor().run({SpanKind::Snapshot, bytes + snapshotBytes(coder_ ? coder_->encodePasses() : 0, bytes)},
                           [&] {
                               const at::NoGradGuard guard;
                               sent_.copy_(context.params().weights());
                               if (coder_) coder_->encode(sent_, asking_);
                           });
    question_ = context.comm().send(asking_, partner, kQuestionTag);
    answer_ = context.comm().receive(received_, partner, kAnswerTag);
    askedAt_ = context.step();
}

// The rank has a partner in some round.
int PairExchanges::nextPartner(StepContext& context) {
    const int own = context.comm().rank().value();
    while (true) {
        std::vector<int> partners =
            partnersIn({.number = round_, .size = context.comm().size(), .seed = context.seed()}, own);
        std::erase_if(partners, [&](int partner) { return !answers(partner); });
        const std::int64_t round = round_++;
        if (!partners.empty()) return drawnOf(partners, context.seed(), own, round);
    }
}

void PairExchanges::takeAnswer(StepContext& context) {
    if (!answer_ || !answer_.done()) return;
    context.executor().waitFor(question_, askedAt_, bytesOfBuffer(context));
    context.executor().waitFor(answer_, askedAt_, bytesOfBuffer(context));
    // What was sent is read beside the weights.
    const double passes = coder_ ? coder_->decodePasses() + 1 : kPassesOfUpdate;
    context.executor().run({SpanKind::Merge, mergeBytes(passes, context.params().bytes())}, [&] {
        const at::NoGradGuard guard;
        at::Tensor weights = context.params().weights();
        if (coder_) return coder_->approach(received_, sent_, 0.5, weights);
        weights.add_(received_);
    });
    context.record(metrics::kStalenessSteps, static_cast<double>(context.step() - askedAt_));
}

// In the order of arrival, equal instants by rank.
void PairExchanges::answerAll(StepContext& context) {
    std::vector<std::tuple<Ns, Rank, Place>> came;
    std::deque<Place> waiting;
    for (Place& place : receiving_) {
        const bool done = place.message.done();
        const auto interval = done ? place.message.interval() : std::nullopt;
        // One that failed is waited for at once, which tells why.
        if (done && !interval) context.executor().waitFor(place.message, context.step(), bytesOfBuffer(context));
        if (interval) {
            came.emplace_back(interval->end, place.message.source().value(), std::move(place));
        } else {
            waiting.push_back(std::move(place));
        }
    }
    receiving_ = std::move(waiting);
    std::ranges::sort(came, {}, [](const auto& each) { return std::pair(std::get<0>(each), std::get<1>(each)); });
    for (auto& [at, from, place] : came) answer(context, std::move(place));
    post(context);
}

void PairExchanges::answer(StepContext& context, Place place) {
    const Rank from = context.executor().waitFor(place.message, context.step(), bytesOfBuffer(context)).value();
    // Three passes of the difference, two of the half and three of the weights.
    const double passes = coder_ ? coder_->encodePasses() + coder_->decodePasses() : 8;
    context.executor().run({SpanKind::Merge, mergeBytes(passes, context.params().bytes())}, [&] {
        const at::NoGradGuard guard;
        at::Tensor weights = context.params().weights();
        if (coder_) {
            if (!spare_.defined()) spare_ = coder_->makeMessage();
            coder_->encode(weights, spare_);
            coder_->approach(place.tensor, weights, 0.5, weights);
            std::swap(place.tensor, spare_);
            return;
        }
        at::sub_out(place.tensor, weights, place.tensor).mul_(0.5);
        weights.sub_(place.tensor);
    });
    place.message = context.comm().send(place.tensor, from, kAnswerTag);
    answering_.push_back(std::move(place));
}

void PairExchanges::drain(StepContext& context) {
    settle(context);
    for (Place& place : receiving_) place.message.cancel();
    receiving_.clear();
}

// A rank that has its last answer says goodbye to all that it may ask, and answers until those that may ask it have
// said so too.
std::int64_t PairExchanges::settle(StepContext& context) {
    const at::Tensor word = torch::zeros({1}, torch::kInt64);
    const auto wordBytes = static_cast<std::int64_t>(word.nbytes());
    std::vector<at::Tensor> words(askers_.size());
    std::vector<Pending> goodbyes, said;
    for (std::size_t i = 0; i < askers_.size(); ++i) {
        words[i] = torch::zeros_like(word);
        goodbyes.push_back(context.comm().receive(words[i], Rank(askers_[i]), kGoodbyeTag));
    }
    for (bool told = false;;) {
        takeAnswer(context);
        answerAll(context);
        if (!told && !answer_) {
            for (const int partner : answerers_) said.push_back(context.comm().send(word, Rank(partner), kGoodbyeTag));
            told = true;
        }
        if (told && std::ranges::all_of(goodbyes, [](Pending& each) { return each.done(); })) break;
        awaitAny(context, goodbyes);
    }
    for (Pending& each : goodbyes) context.executor().waitFor(each, context.step(), wordBytes);
    for (Pending& each : said) context.executor().waitFor(each, context.step(), wordBytes);
    for (Place& place : answering_) context.executor().waitFor(place.message, context.step(), bytesOfBuffer(context));
    answering_.clear();
    return wordBytes * std::ssize(said);
}

void PairExchanges::awaitAny(StepContext& context, std::vector<Pending>& goodbyes) {
    std::vector<Pending*> awaited;
    std::vector<int> missing;
    if (answer_) awaited.push_back(&answer_);
    for (std::size_t i = 0; i < goodbyes.size(); ++i) {
        if (goodbyes[i].done()) continue;
        awaited.push_back(&goodbyes[i]);
        missing.push_back(askers_[i]);
    }
    for (Place& place : receiving_) awaited.push_back(&place.message);
    try {
        context.executor().waitForAny(awaited);
    } catch (const CommError& error) {
        if (missing.empty()) throw;
        throw CommError(error.what() + ("; it answers until these ranks make no more steps: " + listOfRanks(missing) +
                                        "; cluster.timeout_s must be longer than ranks are apart"));
    }
}

void PairExchanges::save(StepContext& context, Archive& archive) {
    // What ranks say to meet for a save is no part of the training; the answers are.
    context.comm().countSent(-settle(context));
    archive.put("round", round_);
    const std::int64_t before = context.comm().bytesSent();
    at::Tensor nothing = at::zeros({1}, context.params().weights().options());
    Pending all = context.comm().allReduce(nothing, Reduce::Sum);
    context.executor().waitFor(all, context.step(), static_cast<std::int64_t>(nothing.nbytes()));
    context.comm().countSent(before - context.comm().bytesSent());
}

Status PairExchanges::load(StepContext& context, const Archive& archive) {
    begin(context);
    DASGD_ASSIGN(round_, archive.integer("round"));
    return {};
}

}  // namespace dasgd
