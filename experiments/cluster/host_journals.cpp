#include "experiments/cluster/host_journals.h"

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <sstream>

#include "experiments/cluster/host_facts.h"
#include "experiments/forward/run_secret.h"
#include "storage/run_end.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int kLookMs = 50;
constexpr seconds kToListen{20};
constexpr const char* kPatience = "15";  // seconds without a record

std::string absolute(const std::string& workspace) { return fs::absolute(withHome(workspace)).string(); }

std::vector<std::string> withSecret(const JournalsRequest& request) {
    return {std::string(RunSecret::kVariable) + "=" + request.secret};
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(JournalsRequest, workspace, run, secret, address, endpoint, ranks)

nlohmann::json JournalsRequest::toJson() const { return *this; }

Result<JournalsRequest> JournalsRequest::from(const nlohmann::json& json) {
    try {
        return json.get<JournalsRequest>();
    } catch (const nlohmann::json::exception& error) {
        return fail(std::string("this request cannot be read: ") + error.what());
    }
}

std::map<std::string, std::vector<int>> journalsLeft(const storage::WorkspacePaths& paths) {
    std::map<std::string, std::vector<int>> left;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(paths.root / "runs", ignored)) {
        const std::string run = entry.path().filename().string();
        if (!storage::isRunId(run)) continue;
        for (const int rank : storage::journalsOf(paths, run)) {
            if (!storage::anyWriterAlive(paths, run, {rank})) left[run].push_back(rank);
        }
    }
    return left;
}

Result<std::string> HostJournals::collect(const JournalsRequest& request) {
    ChildProcess::Options options{.program = program_,
                                  .arguments = {"collect", request.run, "--address", request.address, "--patience",
                                                kPatience, "--json", "--workspace", absolute(request.workspace)},
                                  .log = {},
                                  .errors = STDERR_FILENO,
                                  .environment = withSecret(request)};
    for (const int rank : request.ranks) {
        options.arguments.insert(options.arguments.end(), {"--rank", std::to_string(rank)});
    }
    DASGD_ASSIGN(ChildProcess process, ChildProcess::start(options));
    collector_ = std::make_unique<ChildProcess>(std::move(process));
    const auto until = steady_clock::now() + kToListen;
    while (steady_clock::now() < until) {
        const std::string said = collector_->report();
        if (const auto end = said.find('\n'); end != std::string::npos) {
            const auto line = nlohmann::json::parse(said.substr(0, end), nullptr, false);
            if (line.is_object() && line.contains("endpoint")) return line.value("endpoint", "");
        }
        if (collector_->poll()) break;
        pollfd wait{collector_->reportFd(), POLLIN, 0};
        ::poll(&wait, 1, kLookMs);
    }
    return fail("`dasgd collect` does not take in records of " + request.run + "; its words are above");
}

Status HostJournals::forward(const JournalsRequest& request) {
    for (const int rank : request.ranks) {
        DASGD_ASSIGN(ChildProcess process,
                     ChildProcess::start({.program = program_,
                                          .arguments = {"forward", request.run, "--rank", std::to_string(rank), "--to",
                                                        request.endpoint, "--instead", "--patience", kPatience,
                                                        "--workspace", absolute(request.workspace)},
                                          .log = {},
                                          .errors = STDERR_FILENO,
                                          .environment = withSecret(request)}));
        forwarders_.push_back(std::move(process));
    }
    return {};
}

Result<std::optional<std::vector<int>>> HostJournals::collected() {
    if (!collector_) return fail("nothing is being collected here");
    if (!collector_->poll()) return std::nullopt;
    std::istringstream lines(collector_->report());
    collector_.reset();
    for (std::string line; std::getline(lines, line);) {
        const auto json = nlohmann::json::parse(line, nullptr, false);
        if (json.is_object() && json.contains("collected")) return json.value("collected", std::vector<int>());
    }
    return fail("`dasgd collect` failed; its words are above");
}

}  // namespace dasgd::experiments
