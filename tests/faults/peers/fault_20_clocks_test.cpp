// Fault 20: the calendar is set back while a run trains, and the clocks of a rank on another host are 5 s
// off. No span has a negative length or lies outside its run, and the transfers of one average lie together.
#include <map>

#include "experiments/transport/curve/run_secret.h"
#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/call_injection.h"
#include "tests/faults/support/fault_case.h"
#include "tests/support/free_port.h"
#include "tests/support/network_hosts.h"

namespace dasgd::test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// True where every span has a length and lies in its run.
bool spansAreInOrder(storage::SpanReader& reader, const storage::RunRow& row, double lasted) {
    std::int64_t count = 0, wrong = 0;
    EXPECT_TRUE(reader.each(row.runId, [&](const storage::SpanRow& span) {
        ++count;
        wrong += span.span.end < span.span.start || span.span.start < 0 ||
                 static_cast<double>(span.span.end) > (lasted + 1) * 1e9;
        return true;
    }));
    EXPECT_GT(count, 100);
    EXPECT_EQ(wrong, 0);
    return count > 100 && wrong == 0;
}

bool holdsWhileTheCalendarSteps(std::int64_t step, int& injected) {
    const CallInjection calls;
    const auto began = SteadyClock::now();
    BrokenRun run("gloo", {}, calls.environment());
    calls.page().calendarStepNs = step;
    const std::int64_t told = calls.page().calendarsTold, before = run.completed(0);
    EXPECT_TRUE(eventually([&] { return run.completed(0) > before + 200; })) << "it trains on";
    run.launcher().signal(SIGTERM);
    const Ended ended = run.launcher().wait();
    const double lasted = secondsSince(began);
    EXPECT_EQ(ended.exit, 130) << ended.err;
    injected += calls.page().calendarsTold > told;
    auto reader = storage::WorkspaceReader::open(run.folder().workspace());
    const storage::RunRow row = reader->runs().list()->front();
    EXPECT_GE(row.endedAt, row.startedAt);
    EXPECT_GT(row.wallS, 0);
    EXPECT_LT(row.wallS, lasted);
    const bool inOrder = spansAreInOrder(reader->spans(), row, lasted);
    return ended.exit == 130 && row.endedAt >= row.startedAt && row.wallS > 0 && row.wallS < lasted && inOrder &&
           run.holdsEveryStep();
}

// Two ranks by hand with workspaces of their own. The second one has another kernel's name for this boot, and clocks
// that are off: CLOCK_MONOTONIC by a time namespace, the calendar by the preloaded library.
class SkewedHosts {
public:
    bool hold(int monotonicS, int calendarS, int& injected) {
        folder_.write("e.toml", quickExperiment("gloo", 400));
        folder_.write("boot", "00000000-0000-4000-8000-000000000020\n");
        const auto began = SteadyClock::now();
        StartedProgram first = folder_.start({"worker", "e.toml", "-w", "w"}, environmentOf(0));
        Environment second = environmentOf(1);
        second.merge(calls_.environment());
        second[CallFaults::kSkewVariable] = std::to_string(calendarS);
        StartedProgram skewed(folder_.path(),
                              {"--time", "--monotonic", std::to_string(monotonicS), "--mount", "--fork",
                               "--kill-child=KILL", "sh", "-c", kScript, kProgram},
                              second, "/usr/bin/unshare");
        for (StartedProgram* worker : {&first, &skewed}) {
            const Ended ended = worker->wait();
            EXPECT_EQ(ended.exit, 0) << ended.err;
            if (ended.exit != 0) return false;
        }
        const double lasted = secondsSince(began);
        // The control: the kernel's word for its clock, and that its calendar was asked.
        std::istringstream offsets(contentOf(folder_.path() / "offsets"));
        std::string clock;
        int seconds = 0;
        offsets >> clock >> seconds;
        injected += calls_.page().calendarsTold > 0 && clock == "monotonic" && seconds == monotonicS;
        auto reader = storage::WorkspaceReader::open(folder_.workspace());
        const storage::RunRow row = reader->runs().list()->front();
        return row.status == "finished" && spansAreInOrder(reader->spans(), row, lasted) &&
               averagesLieTogether(reader->spans(), row);
    }

private:
    static constexpr const char* kScript =
        "mount --bind boot /proc/sys/kernel/random/boot_id && cat /proc/self/timens_offsets > offsets && exec \"$0\" "
        "worker e.toml -w "
        "away";

    Environment environmentOf(int rank) {
        if (rank == 0) port_ = std::to_string(freePort());
        return {{"RANK", std::to_string(rank)}, {"WORLD_SIZE", "2"},    {"LOCAL_RANK", "0"},
                {"MASTER_ADDR", "127.0.0.1"},   {"MASTER_PORT", port_}, {experiments::RunSecret::kVariable, secret_}};
    }
    // A transfer ends on both ranks at about the same time, and not 5 s apart.
    static bool averagesLieTogether(storage::SpanReader& reader, const storage::RunRow& row) {
        std::map<std::int64_t, std::map<int, std::int64_t>> ends;
        EXPECT_TRUE(reader.each(row.runId, [&](const storage::SpanRow& span) {
            if (span.span.kind == SpanKind::Transfer) ends[span.span.step][span.rank] = span.span.end;
            return true;
        }));
        int together = 0;
        for (const auto& [step, ofRank] : ends) {
            if (ofRank.size() != 2) continue;
            const bool near = std::abs(ofRank.at(0) - ofRank.at(1)) < 2 * kSecond;
            EXPECT_TRUE(near) << "step " << step << ": " << ofRank.at(0) << " and " << ofRank.at(1);
            if (!near) return false;
            ++together;
        }
        EXPECT_GT(together, 50);
        return together > 50;
    }

    CallInjection calls_;
    DasgdFolder folder_;
    std::string port_, secret_ = experiments::RunSecret::make().value().hex();
};

TEST(Fault20, TheCalendarStepsAndARanksClocksAreOff) {
    if (::getuid() != 0) GTEST_SKIP() << "time namespaces need root";
    if (!does("unshare --time --monotonic 5 --mount --fork true")) GTEST_SKIP() << "no time namespaces here";
    int injected = 0, held = 0;
    const std::vector<std::int64_t> steps{-3600 * kSecond, -5 * kSecond};
    for (int i = 0; i < faultCount(2, 40); ++i) {
        held += holdsWhileTheCalendarSteps(steps[static_cast<std::size_t>(i) % steps.size()], injected);
    }
    for (int i = 0; i < faultCount(2, 40); ++i) {
        const int sign = i % 2 == 0 ? 1 : -1;
        held += SkewedHosts().hold(5 * sign, i % 4 < 2 ? 5 * sign : -5 * sign, injected);
    }
    reportFault(20, "the calendar is set back by 5 s and 1 h; a rank's clocks are 5 s off",
                "no negative span, transfers of one average lie together, the end is not before the start", injected,
                held);
}

}  // namespace
}  // namespace dasgd::test
