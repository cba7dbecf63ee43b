#include "experiments/cluster/ssh/ssh_run.h"

#include <poll.h>

#include <algorithm>

#include "experiments/base/errors.h"
#include "experiments/base/text.h"
#include "experiments/cluster/host/host_messages.h"
#include "experiments/cluster/host/host_ranks.h"
#include "experiments/transport/curve/run_secret.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFollowRest{200};
constexpr std::chrono::seconds kStartPatience{30};
// Beyond the experiment's own deadline of a collective, in which ranks notice that one is missing.
constexpr std::chrono::seconds kSlack{15}, kGraceAfterEnd{4};

std::string numbered(const RankEnd& rank) { return "rank " + std::to_string(rank.rank) + " on " + rank.host; }

}  // namespace

bool RankEnd::failed() const {
    return !exit || exit->signal != 0 || (exit->code != kFinished && exit->code != kStopped);
}

int SshRunEnd::exitCode() const {
    const auto ended = [&](int code) {
        return std::ranges::any_of(
            ranks, [&](const RankEnd& rank) { return rank.exit && rank.exit->signal == 0 && rank.exit->code == code; });
    };
    const bool killed = std::ranges::any_of(ranks, [](const RankEnd& rank) { return rank.exit && rank.exit->signal; });
    const bool unknown = std::ranges::any_of(ranks, [](const RankEnd& rank) { return !rank.exit; });
    if (stopped && !ended(kRunFailed) && (!killed || endedHere)) return kStopped;
    if (killed || unknown || !lost.empty() || ended(kRunFailed)) return kRunFailed;
    if (ended(kWrongInput)) return kWrongInput;
    return ended(kStopped) ? static_cast<int>(kStopped) : static_cast<int>(kFinished);
}

std::string SshRunEnd::whatFailed() const {
    std::string text;
    for (const std::string& why : lost) text += why + "\n";
    std::string before;
    for (const RankEnd& rank : ranks) {
        if (!rank.failed()) continue;
        text += numbered(rank) + ": " + (rank.exit ? describeExit(*rank.exit) : "nobody knows how it ended");
        // Ranks of one run say the same of what they all met.
        if (!rank.words.empty() && rank.words != before) text += "\n" + rank.words;
        if (!rank.log.empty()) text += "\n(" + rank.host + ":" + rank.log + ")";
        before = rank.words;
        text += "\n";
    }
    return text;
}

Result<SshRunEnd> SshRun::run(const std::vector<RanksPlace>& places, const std::string& title,
                              const EarlierPart& earlier) {
    places_ = places;
    done_.assign(places.size(), false);
    if (const Status started = start(earlier); !started) {
        for (const RanksPlace& place : places_) static_cast<void>(cluster_.host(place.host).tell(kEnd));
        return tl::unexpected(started.error());
    }
    {
        Progress progress(title, experiment_.steps, style_);
        follow(progress);
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (!done_[i]) lose(i);
    }
    // Who does not answer, or whose ranks do not end, is connected to anew before anything else is asked of it.
    for (const std::size_t host : lost_) cluster_.drop(host);
    return std::move(end_);
}

Status SshRun::start(const EarlierPart& earlier) {
    DASGD_ASSIGN(const RunSecret secret, RunSecret::make());
    const ClusterProfile& profile = cluster_.profile();
    const bool alone = places_.size() == 1 && profile.interface.empty();
    const std::string address = alone ? "127.0.0.1" : cluster_.masterAddress();
    DASGD_ASSIGN(const nlohmann::json free,
                 cluster_.host(0).ask(kPort, {{"address", address}, {"port", profile.port}}, kStartPatience));
    RanksRequest request{.experiment = experiment_.text,
                         .workspace = profile.workspaceThere(),
                         .secret = secret.hex(),
                         .address = address,
                         .interface = profile.interface,
                         .port = free.value("port", 0),
                         .size = experiment_.workers,
                         .gpus = profile.gpus,
                         .bytesOfRank = experiment_.bytesOfRank,
                         .resume = earlier.resume,
                         .earlier = earlier.from,
                         .earlierStep = earlier.step};
    for (const auto& [name, value] : profile.environment) request.environment.push_back(name + "=" + value);
    for (const RanksPlace& place : places_) {
        cluster_.host(place.host).forgetEvents();
        request.first = place.first;
        request.count = place.count;
        DASGD_TRY(cluster_.host(place.host).tell(kStart, request.toJson()));
    }
    for (const RanksPlace& place : places_) {
        const auto started = cluster_.host(place.host).answer(kStart, kStartPatience);
        if (!started) return tl::unexpected(started.error());
    }
    return {};
}

void SshRun::follow(Progress& progress) {
    while (!over()) {
        wait();
        takeEvents(progress);
        cluster_.tellAlive();
        const int asked = signals_.count();
        if (asked > 0) end_.stopped = true;
        if (asked > 0 && !stopAsked_) askForStop();
        if (signals_.mustEndNow() && !ended_) endAll();
        if (due_ && Clock::now() > *due_ && !ended_) endAll();
        progress.update(completed_, asked > 0 ? "stopping; Ctrl-C again to end at once" : "");
    }
}

bool SshRun::over() const {
    if (std::ranges::all_of(done_, [](bool done) { return done; })) return true;
    return ended_ && Clock::now() > *due_;
}

void SshRun::wait() const {
    std::vector<pollfd> watched{{signals_.fd(), POLLIN, 0}};
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (!done_[i]) watched.push_back({cluster_.host(places_[i].host).fd(), POLLIN, 0});
    }
    ::poll(watched.data(), watched.size(), static_cast<int>(kFollowRest.count()));
}

void SshRun::takeEvents(Progress& progress) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
        HostConnection& host = cluster_.host(places_[i].host);
        while (!done_[i]) {
            const auto event = host.event(milliseconds(0));
            if (!event) break;
            take(i, *event, progress);
        }
        if (!done_[i] && !host.isAlive(mostSilence())) lose(i);
    }
}

void SshRun::take(std::size_t host, const nlohmann::json& event, Progress& progress) {
    const std::string what = event.value("event", "");
    if (what == kProgressEvent) {
        completed_ = event.value("completed", std::int64_t{0});
        end_.run = event.value("run", "");
    }
    if (what == kAllEndedEvent) {
        done_[host] = true;
        if (event.contains("result") && !event["result"].is_null()) end_.result = event["result"];
    }
    if (what != kEndedEvent) return;
    RankEnd rank{.rank = event.value("rank", 0),
                 .host = cluster_.host(places_[host].host).name(),
                 .exit = ProcessExit{event.value("code", 0), event.value("signal", 0)},
                 .words = event.value("words", ""),
                 .log = event.value("log", "")};
    failed_ = failed_ || rank.failed();
    if (rank.failed() && !stopAsked_) {
        progress.note(numbered(rank) + " ended by " + describeExit(*rank.exit) + "; waiting for the others");
        if (!due_) due_ = Clock::now() + milliseconds(static_cast<std::int64_t>(experiment_.timeoutS * 1e3)) + kSlack;
    }
    end_.ranks.push_back(std::move(rank));
}

// Whoever is there no more cannot say how its ranks end; they do, as they notice it too.
void SshRun::lose(std::size_t index) {
    const RanksPlace& place = places_[index];
    HostConnection& host = cluster_.host(place.host);
    done_[index] = true;
    lost_.push_back(place.host);
    end_.lost.push_back(host.isAlive(mostSilence()) ? host.name() + ": its ranks did not end" : host.whyLost());
    for (int rank = place.first; rank < place.first + place.count; ++rank) {
        if (std::ranges::count(end_.ranks, rank, &RankEnd::rank) == 0)
            end_.ranks.push_back({rank, host.name(), {}, "", ""});
    }
    if (!stopAsked_) askForStop();
}

std::chrono::seconds SshRun::mostSilence() const { return failed_ ? kMostSilenceAfterFailure : kMostSilence; }

void SshRun::askForStop() {
    stopAsked_ = true;
    const auto patience = milliseconds(static_cast<std::int64_t>(experiment_.timeoutS * 1e3)) + kSlack;
    due_ = std::min(due_.value_or(Clock::time_point::max()), Clock::now() + patience);
    // Any rank takes all of the run along; one that has ended cannot.
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (!done_[i]) static_cast<void>(cluster_.host(places_[i].host).tell(kStop));
    }
}

void SshRun::endAll() {
    ended_ = end_.endedHere = true;
    due_ = Clock::now() + kGraceAfterEnd;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (!done_[i]) static_cast<void>(cluster_.host(places_[i].host).tell(kEnd));
    }
}

}  // namespace dasgd::experiments
