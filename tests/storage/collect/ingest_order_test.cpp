// The overlap numbers of a run are those of its records, however these fall into transactions, whichever rank is read
// first, and whoever is killed meanwhile.
#include "storage/collect/ingest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/analysis/spans/timings.h"
#include "storage/runs/run_end.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;

constexpr int kRanks = 4;
constexpr std::int64_t kSteps = 600, kPeriod = 4;
constexpr std::int64_t kFullBatch = 64, kShortBatch = 8;
constexpr std::uint64_t kFirstOfGroup = 1'000'000;

using Journals = std::vector<std::vector<Span>>;  // by rank, in the order in which the rank records

// Averages with a period of four steps that are awaited three steps later, evaluations, short last batches, messages
// between neighbours, an average of two ranks now and then, and a last one that rank 3 never reports.
class Recording {
public:
    Recording() {
        for (std::int64_t round = 0; round < kSteps / kPeriod; ++round) {
            for (int rank = 0; rank < kRanks; ++rank) launch(rank, round);
            for (int rank = 0; rank < kRanks; ++rank) await(rank, round);
        }
    }
    Journals journals = Journals(kRanks);

private:
    void record(int rank, SpanKind kind, Ns length, std::int64_t step, std::int64_t bytes = 0) {
        Ns& now = now_[static_cast<std::size_t>(rank)];
        add(rank, {.kind = kind, .step = step, .start = now, .end = now + length, .bytes = bytes});
        now += length;
    }
    void add(int rank, const Span& span) { journals[static_cast<std::size_t>(rank)].push_back(span); }
    void makeStep(int rank, std::int64_t step) {
        const bool isShort = step % 24 == 0;
        const Ns length = (isShort ? 20 : 90) + static_cast<Ns>(random_() % 21) * (isShort ? 0 : 1);
        record(rank, SpanKind::Forward, length * 2 / 5, step, isShort ? kShortBatch : kFullBatch);
        record(rank, SpanKind::Backward, length - length * 2 / 5, step);
        record(rank, SpanKind::Update, 3, step);
    }
    void launch(int rank, std::int64_t round) {
        makeStep(rank, round * kPeriod + 1);
        launched_[static_cast<std::size_t>(rank)] = now_[static_cast<std::size_t>(rank)];
    }
    void await(int rank, std::int64_t round) {
        const auto own = static_cast<std::size_t>(rank);
        const std::int64_t first = round * kPeriod + 1;
        for (std::int64_t step = first + 1; step < first + kPeriod; ++step) makeStep(rank, step);
        const Ns last = *std::ranges::max_element(launched_);
        const Ns end = last + 150 + static_cast<Ns>(random_() % 100);
        if (end > now_[own]) record(rank, SpanKind::Wait, end - now_[own], first + 3);
        const bool dead = rank == kRanks - 1 && round + 1 == kSteps / kPeriod;
        if (!dead) add(rank, reduce(first, launched_[own], end, static_cast<std::uint64_t>(round + 1), 0));
        add(rank, reduce(first, now_[own] - 30, now_[own] - 25, 0, 0));
        if (round % 10 == 3 && rank < 2) {
            const auto number = kFirstOfGroup + static_cast<std::uint64_t>(round);
            add(rank, reduce(first, now_[own] - 20 + rank, now_[own], number, 2));
        }
        record(rank, SpanKind::Merge, 4, first + 3);
        if (round % 3 == 2) closeWindow(rank, first + 3, round % 30 == 29);
    }
    static Span reduce(std::int64_t step, Ns start, Ns end, std::uint64_t collective, std::int64_t ranks) {
        return {.lane = Lane::Comm,
                .kind = SpanKind::Reduce,
                .step = step,
                .start = start,
                .end = end,
                .bytes = 8,
                .collective = collective,
                .ranks = ranks};
    }
    void closeWindow(int rank, std::int64_t step, bool evaluate) {
        Ns& start = windowStart_[static_cast<std::size_t>(rank)];
        const Ns end = now_[static_cast<std::size_t>(rank)];
        add(rank, {.lane = Lane::Io, .kind = SpanKind::Window, .step = step, .start = start, .end = end, .bytes = 12});
        if (evaluate) record(rank, SpanKind::Eval, 200, step);
        start = now_[static_cast<std::size_t>(rank)];
    }

    std::mt19937 random_{7};
    std::vector<Ns> now_ = std::vector<Ns>(kRanks), launched_ = now_, windowStart_ = now_;
};

const Journals& recordedRun() {
    static const Recording recording;
    return recording.journals;
}

using Numbers = std::vector<std::optional<double>>;

// The plain computation over all rows: what goes on at each instant.
class Plain {
public:
    explicit Plain(const Journals& journals) {
        for (const auto& journal : journals) {
            for (const Span& span : journal) {
                if (!isOfCollective(span)) continue;
                Arrivals& arrivals = arrivals_[span.collective];
                arrivals.last = arrivals.ranks++ == 0 ? span.start : std::max(arrivals.last, span.start);
                arrivals.expected = span.ranks > 0 ? span.ranks : kRanks;
            }
        }
    }

    // hidden_s, transfer_s, blocked_s, compute_s, skew_s, collectives, inflation, measured_s.
    [[nodiscard]] Numbers numbersOf(const std::vector<Span>& journal) const {
        const std::vector<Span> spans = divided(journal);
        std::vector<unsigned> at;
        for (const Span& span : spans) {
            at.resize(std::max(at.size(), static_cast<std::size_t>(span.end)));
            for (Ns t = span.start; t < span.end; ++t) at[static_cast<std::size_t>(t)] |= bitsOf(span.kind);
        }
        const auto seconds = [&](unsigned bits) {
            const auto instants = std::ranges::count_if(at, [&](unsigned here) { return (here & bits) == bits; });
            return std::optional(static_cast<double>(instants) / 1e9);
        };
        Ns skew = 0;
        double transfers = 0;
        for (const Span& span : spans) {
            if (span.kind == SpanKind::Skew) skew += instantsWith(at, span, kWindow);
            if (span.kind == SpanKind::Transfer && (at[static_cast<std::size_t>(span.end - 1)] & kWindow)) ++transfers;
        }
        return {seconds(kWindow | kTransfer | kCompute),
                seconds(kWindow | kTransfer),
                seconds(kWindow | kWait),
                seconds(kWindow | kCompute),
                static_cast<double>(skew) / 1e9,
                transfers,
                inflationOf(spans, at),
                seconds(kWindow)};
    }

private:
    static constexpr unsigned kWindow = 1, kCompute = 2, kTransfer = 4, kWait = 8, kSkew = 16, kUndivided = 32;
    struct Arrivals {
        std::int64_t ranks = 0, expected = 0;
        Ns last = 0;
    };
    static bool isOfCollective(const Span& span) { return span.kind == SpanKind::Reduce && span.collective != 0; }
    static unsigned bitsOf(SpanKind kind) {
        switch (kind) {
            case SpanKind::Window: return kWindow;
            case SpanKind::Transfer: return kTransfer;
            case SpanKind::Skew: return kSkew;
            case SpanKind::Wait: return kWait;
            case SpanKind::Reduce: return kUndivided;
            default: return isCompute(kind) ? kCompute : 0;
        }
    }
    [[nodiscard]] std::vector<Span> divided(const std::vector<Span>& journal) const {
        std::vector<Span> spans;
        for (Span span : journal) {
            if (span.kind == SpanKind::Reduce && span.collective == 0) span.kind = SpanKind::Transfer;
            const auto all = isOfCollective(span) ? arrivals_.find(span.collective) : arrivals_.end();
            if (all == arrivals_.end() || all->second.ranks < all->second.expected) {
                spans.push_back(span);
                continue;
            }
            const DividedReduce parts = divideReduce(span, all->second.last);
            if (parts.skew) spans.push_back(*parts.skew);
            spans.push_back(parts.transfer);
        }
        return spans;
    }
    static Ns instantsWith(const std::vector<unsigned>& at, const Span& span, unsigned bit) {
        return std::count_if(at.begin() + span.start, at.begin() + span.end,
                             [&](unsigned here) { return (here & bit) != 0; });
    }
    // Inflation over the steps with a full batch: their time under transfers ÷ a mean free step for each, less the time
    // that was not covered.
    static std::optional<double> inflationOf(const std::vector<Span>& spans, const std::vector<unsigned>& at) {
        std::map<std::int64_t, std::vector<Span>> passes;
        for (const Span& span : spans) {
            if (span.kind == SpanKind::Forward || span.kind == SpanKind::Backward) passes[span.step].push_back(span);
        }
        double beside = 0, free = 0, covered = 0, uncovered = 0, freeTime = 0;
        for (const auto& [step, both] : passes) {
            const Span whole{.start = both.front().start, .end = both.back().end};
            const Ns length = whole.end - whole.start;
            if (both.front().bytes != kFullBatch || instantsWith(at, whole, kWindow) < length) continue;
            if (instantsWith(at, whole, kUndivided) > 0) continue;
            const auto moving = static_cast<double>(instantsWith(at, whole, kTransfer));
            if (instantsWith(at, whole, kTransfer | kSkew) > 0) {
                ++beside;
                covered += moving;
                uncovered += static_cast<double>(length) - moving;
            } else {
                ++free;
                freeTime += static_cast<double>(length);
            }
        }
        return covered / (beside * (freeTime / free) - uncovered);
    }

    std::map<std::uint64_t, Arrivals> arrivals_;
};

struct Place {
    int rank = 0;
    std::size_t index = 0;
};
using Order = std::vector<Place>;

// The next span of a rank each time, of the rank that `next` names or of the next one that has more.
template <class Next>
Order orderedBy(const Journals& journals, Next next) {
    Order order;
    std::vector<std::size_t> told(journals.size());
    std::size_t left = 0;
    for (const auto& journal : journals) left += journal.size();
    for (; left > 0; --left) {
        auto rank = static_cast<std::size_t>(next()) % journals.size();
        while (told[rank] == journals[rank].size()) rank = (rank + 1) % journals.size();
        order.push_back({static_cast<int>(rank), told[rank]++});
    }
    return order;
}

// The journal of one rank alone.
Order wholeOrder(const Journals& journals, int rank) {
    Order order;
    for (std::size_t i = 0; i < journals[static_cast<std::size_t>(rank)].size(); ++i) order.push_back({rank, i});
    return order;
}

// Bursts of one rank, from single records to the whole of its journal.
Order randomOrder(const Journals& journals, std::mt19937& random) {
    std::uint32_t rank = 0, left = 0;
    const std::uint32_t longest = 1U << (random() % 14);
    return orderedBy(journals, [&] {
        if (left-- == 0) {
            rank = static_cast<std::uint32_t>(random());
            left = static_cast<std::uint32_t>(random()) % longest;
        }
        return rank;
    });
}

class OrderedSource final : public RecordSource {
public:
    OrderedSource(const Journals& journals, const Order& order, int rank = 0)
        : RecordSource(rank), journals_(journals), order_(order) {}
    void startAfter(std::uint64_t sequence) override { next_ = sequence; }
    Result<std::size_t> read(std::size_t limit, const std::function<void(const EventRecord&)>& take) override {
        std::size_t taken = 0;
        for (; taken < limit && next_ < order_.size(); ++taken) {
            const Place& place = order_[next_++];
            EventRecord record;
            record.type = EventRecord::Type::Span;
            record.sequence = next_;
            record.rank = place.rank;
            record.span = journals_[static_cast<std::size_t>(place.rank)][place.index];
            take(record);
        }
        return taken;
    }
    void release(std::uint64_t) override {}
    [[nodiscard]] std::string damage() const override { return ""; }

private:
    const Journals& journals_;
    const Order& order_;
    std::size_t next_ = 0;
};

struct Stored {
    std::vector<Numbers> ranks;
    Numbers run;  // hidden, blocked_s, skew_s, inflation, measured_s
    bool operator==(const Stored&) const = default;
};

// A workspace with a run for each way in which the records come.
class IngestOrderTest : public ::testing::Test {
protected:
    // `newLimit` answers how many records the next transaction has, `killed` whether another collector goes on after
    // it.
    template <class NewLimit, class Killed>
    Stored collected(const Journals& journals, const Order& order, NewLimit newLimit, Killed killed,
                     bool keepsSpans = true) {
        const std::int64_t key = addRun(static_cast<int>(journals.size()), keepsSpans);
        const auto begin = [&] {
            RecordSources sources;
            sources.push_back(std::make_unique<OrderedSource>(journals, order));
            return std::make_unique<RunIngest>(*connection_, key, std::move(sources));
        };
        auto ingest = begin();
        while (orDie(ingest->collect(newLimit())) > 0) {
            if (killed()) ingest = begin();
        }
        orDie(ingest->collectAll());
        return stored(key, journals.size());
    }
    Stored collected(const Order& order, std::size_t limit, bool keepsSpans = true) {
        return collected(
            recordedRun(), order, [&] { return limit; }, [] { return false; }, keepsSpans);
    }

    std::int64_t addRun(int workers, bool keepsSpans = true) {
        RunInfo info = runInfo("run-" + std::to_string(++runs_), workers);
        info.keepSpans = keepsSpans;
        orDie(store_.addRun(info));
        return keyOf(store_.paths(), info.runId);
    }

    // Makes a collector with a source for each of these ranks, which reads what `orders` holds of it by then.
    std::unique_ptr<RunIngest> collectorOf(std::int64_t key, const std::vector<int>& ranks, CollectorScope scope,
                                           const Journals& journals, const std::vector<Order>& orders) {
        RecordSources sources;
        for (const int rank : ranks) {
            sources.push_back(std::make_unique<OrderedSource>(journals, orders[static_cast<std::size_t>(rank)], rank));
        }
        return std::make_unique<RunIngest>(*connection_, key, std::move(sources), scope);
    }
    static void collectInTransactions(RunIngest& ingest, std::size_t limit) {
        while (orDie(ingest.collect(limit)) > 0) {
        }
    }
    // Deletes the meters of these ranks, as at their end.
    void forget(std::int64_t key, const std::vector<int>& ranks) {
        const auto transaction = orDie(WriteTransaction::begin(*connection_));
        forgetMeters(connection_->database(), key, ranks);
        transaction->commit();
    }

    Stored stored(std::int64_t key, std::size_t ranks) {
        Stored all{std::vector<Numbers>(ranks), {}};
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            all.ranks[rank] =
                row("SELECT hidden_s, transfer_s, blocked_s, compute_s, skew_s, collectives, inflation, measured_s "
                    "FROM rank_state WHERE run = " +
                    std::to_string(key) + " AND rank = " + std::to_string(rank));
        }
        all.run =
            row("SELECT hidden, blocked_s, skew_s, inflation, measured_s FROM run WHERE id = " + std::to_string(key));
        return all;
    }
    Numbers row(const std::string& sql) {
        SQLite::Statement query(connection_->database(), sql);
        EXPECT_TRUE(query.executeStep());
        Numbers numbers;
        for (int i = 0; i < query.getColumnCount(); ++i) {
            const SQLite::Column column = query.getColumn(i);
            numbers.push_back(column.isNull() ? std::nullopt : std::optional(column.getDouble()));
        }
        return numbers;
    }

    TempDir folder_;
    Store store_ = orDie(Store::open(folder_ / "workspace"));
    std::unique_ptr<WriteConnection> connection_ = orDie(WriteConnection::open(store_.paths()));
    int runs_ = 0;
};

Stored plainNumbers(const Journals& journals) {
    const Plain plain(journals);
    Stored numbers;
    for (const auto& journal : journals) numbers.ranks.push_back(plain.numbersOf(journal));
    return numbers;
}

// A transaction with more spans of a rank than its meter keeps settled the time of reduces that were not divided yet:
// inflation was 1.025 or 1.032 where 1.080 was right.
TEST_F(IngestOrderTest, TransactionsOfAnySizeAreThePlainComputation) {
    const Stored plain = plainNumbers(recordedRun());
    ASSERT_GT(plain.ranks[0][6].value(), 0.5) << "there is an inflation to compare";
    const auto together = orderedBy(recordedRun(), [rank = 0]() mutable { return rank++; });
    std::optional<Stored> first;
    for (const std::size_t limit : {1U, 7U, 1000U, 1'000'000U}) {
        for (const bool keepsSpans : {true, false}) {
            if (limit == 1 && !keepsSpans) continue;  // ten thousand transactions
            const Stored numbers = collected(together, limit, keepsSpans);
            EXPECT_EQ(numbers.ranks, plain.ranks) << limit;
            if (!first) first = numbers;
            EXPECT_EQ(numbers.run, first->run) << limit;
        }
    }
    double hidden = 0, transfer = 0;
    for (const Numbers& rank : plain.ranks) {
        hidden += rank[0].value();
        transfer += rank[1].value();
    }
    EXPECT_DOUBLE_EQ(first->run[0].value(), hidden / transfer);
}

TEST_F(IngestOrderTest, AnyInterleavingOfTheRanksIsThePlainComputation) {
    const Stored plain = plainNumbers(recordedRun());
    std::mt19937 random(1);
    std::optional<Stored> first;
    for (int i = 0; i < 200; ++i) {
        const Order order = randomOrder(recordedRun(), random);
        const auto newLimit = [&] { return std::size_t{1} + random() % (std::size_t{16} << (random() % 12)); };
        const Stored numbers = collected(
            recordedRun(), order, newLimit, [] { return false; }, random() % 2 == 0);
        ASSERT_EQ(numbers.ranks, plain.ranks) << i;
        if (!first) first = numbers;
        ASSERT_EQ(numbers.run, first->run) << i;
    }
}

TEST_F(IngestOrderTest, ACollectorThatGoesOnAfterAKilledOneFormsTheSameNumbers) {
    const Stored plain = plainNumbers(recordedRun());
    std::mt19937 random(2);
    for (int i = 0; i < 20; ++i) {
        const Order order = randomOrder(recordedRun(), random);
        const auto newLimit = [&] { return std::size_t{1} + random() % 500; };
        const Stored numbers = collected(recordedRun(), order, newLimit, [&] { return random() % 6 == 0; });
        ASSERT_EQ(numbers.ranks, plain.ranks) << i;
    }
}

// Two ranks, of which the second reaches each average 5 ns later.
Journals laggingPair(std::int64_t steps) {
    Journals journals(2);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        const Ns lag = rank == 0 ? 0 : 5;
        for (std::int64_t step = 1; step <= steps; ++step) {
            const Ns now = step * 100;
            journals[rank].push_back({.kind = SpanKind::Forward, .step = step, .start = now, .end = now + 40});
            journals[rank].push_back({.kind = SpanKind::Backward, .step = step, .start = now + 40, .end = now + 90});
            journals[rank].push_back({.lane = Lane::Comm,
                                      .kind = SpanKind::Reduce,
                                      .step = step,
                                      .start = now + 10 + lag,
                                      .end = now + 60,
                                      .collective = static_cast<std::uint64_t>(step),
                                      .ranks = 2});
            if (step % 50 != 0) continue;
            journals[rank].push_back(
                {.lane = Lane::Io, .kind = SpanKind::Window, .step = step, .start = now - 4'900, .end = now + 100});
        }
    }
    return journals;
}

void expectLaggingPair(const std::vector<Numbers>& ranks, std::int64_t steps) {
    for (const Numbers& rank : ranks) {
        EXPECT_EQ(rank[0], std::optional(static_cast<double>(steps * 45) / 1e9));
        EXPECT_EQ(rank[5], std::optional(static_cast<double>(steps)));
        EXPECT_EQ(rank[7], std::optional(static_cast<double>(steps * 100) / 1e9));
    }
    EXPECT_EQ(ranks[0][4], std::optional(static_cast<double>(steps * 5) / 1e9));
}

// The whole journal of one rank comes before the first record of the other: more than there is memory for.
TEST_F(IngestOrderTest, WhatMemoryIsTooShortForIsFormedFromTheRows) {
    constexpr std::int64_t kMany = 150'000;
    const Journals journals = laggingPair(kMany);
    const Order order = orderedBy(journals, [] { return 0; });
    const Stored numbers = collected(
        journals, order, [] { return std::size_t{65'536}; }, [] { return false; });
    expectLaggingPair(numbers.ranks, kMany);
}

// A collector of some of 1,024 ranks has less memory for each, and its last transaction has records of one rank alone.
TEST_F(IngestOrderTest, ACollectorOfSomeRanksFormsThemAllAnew) {
    constexpr std::int64_t kMany = 8'000;
    Journals journals = laggingPair(kMany);
    for (auto& journal : journals) {
        ASSERT_GT(journal.size(), RankMeter::kMostKept);
        journal.push_back({.kind = SpanKind::Eval, .step = kMany, .start = 101 * kMany, .end = 102 * kMany});
    }
    const std::int64_t key = addRun(1024);
    std::vector<Order> orders(journals.size());
    const auto ingest = collectorOf(key, {0, 1}, CollectorScope::SomeRanks, journals, orders);
    for (std::size_t rank = 0; rank < journals.size(); ++rank) {
        orders[rank] = wholeOrder(journals, static_cast<int>(rank));
        orders[rank].pop_back();
        collectInTransactions(*ingest, 32'768);
    }
    orders[1] = wholeOrder(journals, 1);
    orDie(ingest->collectAll());
    expectLaggingPair(stored(key, journals.size()).ranks, kMany);
}

// The meters of an ended run are gone. Records that came late in an early transaction were left out of the numbers.
TEST_F(IngestOrderTest, LateRecordsCountWhicheverTransactionTheyCameIn) {
    const Journals& journals = recordedRun();
    const Stored plain = plainNumbers(journals);
    for (const std::size_t limit : {4U, 40U, 100'000U}) {
        const std::int64_t key = addRun(kRanks);
        std::vector<Order> orders(kRanks);
        for (int rank = 0; rank < kRanks; ++rank) {
            Order& order = orders[static_cast<std::size_t>(rank)];
            order = wholeOrder(journals, rank);
            order.resize(rank == 0 ? order.size() / 3 : order.size() - 10);
        }
        orDie(collectorOf(key, {0, 1, 2, 3}, CollectorScope::AllRanks, journals, orders)->collectAll());
        forget(key, {0, 1, 2, 3});
        for (int rank = 0; rank < kRanks; ++rank) orders[static_cast<std::size_t>(rank)] = wholeOrder(journals, rank);
        // The first collector is killed after one transaction.
        orDie(collectorOf(key, {0, 1, 2, 3}, CollectorScope::LateRanks, journals, orders)->collect(10 * kRanks));
        const auto late = collectorOf(key, {0, 1, 2, 3}, CollectorScope::LateRanks, journals, orders);
        collectInTransactions(*late, limit);
        orDie(late->collectAll());
        EXPECT_EQ(stored(key, kRanks).ranks, plain.ranks) << limit;
    }
}

// The process that collects rank 0 has ended before the others report its averages.
TEST_F(IngestOrderTest, ARankWhoseCollectorHasEndedGetsTheTransfersThatOthersComplete) {
    const Journals& journals = recordedRun();
    const Stored plain = plainNumbers(journals);
    std::vector<Order> orders;
    for (int rank = 0; rank < kRanks; ++rank) orders.push_back(wholeOrder(journals, rank));
    for (const std::size_t limit : {3U, 60U, 100'000U}) {
        const std::int64_t key = addRun(kRanks);
        orDie(collectorOf(key, {0}, CollectorScope::SomeRanks, journals, orders)->collectAll());
        forget(key, {0});
        const auto others = collectorOf(key, {1, 2, 3}, CollectorScope::SomeRanks, journals, orders);
        collectInTransactions(*others, limit);
        orDie(others->collectAll());
        EXPECT_EQ(stored(key, kRanks).ranks, plain.ranks) << limit;
    }
}

}  // namespace
}  // namespace dasgd::storage
