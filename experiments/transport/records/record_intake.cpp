#include "experiments/transport/records/record_intake.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "experiments/base/text.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using Stream = storage::RecordStream;

constexpr milliseconds kPoll{20};
constexpr char kOperations[]{record_post::kHello, record_post::kRecords, record_post::kEnd, record_post::kGoodbye};
constexpr int kMostAnswers = 64;  // of a file that a rank fetches

Parts whatIsWanted(const Stream& stream) {
    if (stream.isCommitted()) return answerOf(record_post::kDone);
    const Stream::Wanted wanted = stream.wanted().value_or(Stream::Wanted());
    return {std::string(1, wanted.room ? kYes : kNotYet), std::to_string(wanted.round), std::to_string(wanted.after),
            std::to_string(wanted.committed)};
}

}  // namespace

RecordIntake::RecordIntake(std::string runId, RecordStreams streams) : runId_(std::move(runId)) {
    for (auto& stream : streams) ranks_[stream->rank()].stream = std::move(stream);
}

Parts RecordIntake::answer(const Parts& request) {
    const char operation = request.front().size() == 1 ? request.front().front() : '?';
    const auto number = request.size() > 1 ? decimalOf(request[1]) : std::nullopt;
    const auto found = number ? ranks_.find(*number) : ranks_.end();
    if (found == ranks_.end()) return answerOf(kRefused, "no rank that is awaited");
    OneRank& rank = found->second;
    const bool taken = operation == record_post::kHello     ? request.size() == 3 && request[2] == runId_
                       : operation == record_post::kGoodbye ? (rank.saidGoodbye = true)
                                                            : take(operation, request, *rank.stream);
    return taken ? whatIsWanted(*rank.stream) : answerOf(kRefused, "no such request");
}

bool RecordIntake::take(char operation, const Parts& request, Stream& stream) {
    const auto round = request.size() == 5 ? decimalOf(request[2]) : std::nullopt;
    const auto after = round ? decimalOf(request[3]) : std::nullopt;
    if (!after || *round < 0 || *after < 0) return false;
    const auto first = static_cast<std::uint64_t>(*after);
    if (operation == record_post::kEnd) {
        stream.end(static_cast<std::uint64_t>(*round), first, request[4]);
        return true;
    }
    if (operation != record_post::kRecords) return false;
    const Stream::Taken offered = stream.offer(static_cast<std::uint64_t>(*round), first, request[4]);
    if (offered == Stream::Taken::Damaged) return false;
    lastNews_ = std::chrono::steady_clock::now();
    return true;
}

template <class Predicate>
bool RecordIntake::awaitAll(milliseconds patience, Predicate isThere) {
    lastNews_ = std::chrono::steady_clock::now();
    while (!std::ranges::all_of(ranks_, [&](const auto& one) { return isThere(one.second); })) {
        if (std::chrono::steady_clock::now() - lastNews_.load() > patience) return false;
        std::this_thread::sleep_for(kPoll);
    }
    return true;
}

bool RecordIntake::awaitEnds(milliseconds patience) {
    return awaitAll(patience, [](const OneRank& rank) { return rank.stream->hasEnded(); });
}

void RecordIntake::sayDone(milliseconds patience) {
    static_cast<void>(
        awaitAll(patience, [](const OneRank& rank) { return rank.saidGoodbye || !rank.stream->hasEnded(); }));
}

Result<std::unique_ptr<CurveServer>> serveIntake(const std::string& address, int port, const RunSecret& secret,
                                                 RecordIntake& records, CurveServer::Answer files) {
    auto server = CurveServer::start({.address = address, .port = port, .mostAnswers = kMostAnswers}, secret,
                                     [&records, files = std::move(files)](const Parts& request) {
                                         const std::string& operation = request.front();
                                         const bool ofRecords = operation.size() == 1 &&
                                                                std::ranges::count(kOperations, operation.front()) > 0;
                                         return ofRecords || !files ? records.answer(request) : files(request);
                                     });
    if (server) return server;
    return fail("the collector cannot listen on " + address + ": " + server.error().message);
}

}  // namespace dasgd::experiments
