#include "experiments/cluster/host/host_journals.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>

#include "experiments/base/text.h"
#include "experiments/cluster/host/host_facts.h"
#include "experiments/transport/curve/run_secret.h"
#include "storage/read/run_reader.h"
#include "storage/runs/run_end.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int kLookMs = 50;
constexpr seconds kToListen{20};
constexpr const char* kPatience = "15";  // seconds without a record

std::string absolute(const std::string& workspace) { return fs::absolute(withHome(workspace)).string(); }

std::string lastLineOf(const fs::path& file) {
    std::ifstream in(file);
    std::string last;
    for (std::string line; std::getline(in, line);) {
        if (!line.empty()) last = line;
    }
    return last.empty() ? "it did not say why" : printableWords(last);
}

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

std::vector<std::string> runsEnded(const storage::WorkspacePaths& paths) {
    std::vector<std::string> ended;
    auto reader = storage::RunReader::open(paths.root);
    const auto rows = reader ? reader->list() : tl::unexpected(reader.error());
    for (const storage::RunRow& row : rows ? *rows : std::vector<storage::RunRow>()) {
        const bool live = row.status == "queued" || row.status == "running";
        // One whose process is gone has ended, too, though nobody has written that down yet.
        const auto lost = live ? reader->lost(row.runId) : Result<std::optional<storage::LostRun>>();
        if (!live || (lost && *lost)) ended.push_back(row.runId);
    }
    return ended;
}

std::string identityOf(const fs::path& workspace) {
    // The device's number is each host's own; the file's number and times are those of the file.
    struct stat found {};
    const std::string database = storage::WorkspacePaths{workspace}.database();
    if (::stat(database.c_str(), &found) != 0) return {};
    return std::to_string(found.st_ino) + " " + std::to_string(found.st_mtim.tv_sec) + " " +
           std::to_string(found.st_mtim.tv_nsec);
}

Result<std::string> HostJournals::collect(const JournalsRequest& request) {
    words_ = storage::WorkspacePaths{absolute(request.workspace)}.root / "logs" / ("collect-" + request.run + ".log");
    DASGD_TRY(storage::makeOwnFolder(words_.parent_path()));
    const Descriptor words(::open(words_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    ChildProcess::Options options{.program = program_,
                                  .arguments = {"collect", request.run, "--address", request.address, "--patience",
                                                kPatience, "--json", "--workspace", absolute(request.workspace)},
                                  .log = {},
                                  .errors = words.get(),
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
    return fail("`dasgd collect` does not take in records of " + request.run + ": " + lastLineOf(words_));
}

Status HostJournals::forward(const JournalsRequest& request) {
    for (const int rank : request.ranks) {
        DASGD_ASSIGN(ChildProcess process,
                     ChildProcess::start({.program = program_,
                                          .arguments = {"forward", request.run, "--rank", std::to_string(rank), "--to",
                                                        request.endpoint, "--instead", "--begun", "--patience",
                                                        kPatience, "--workspace", absolute(request.workspace)},
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
    return fail("`dasgd collect` failed: " + lastLineOf(words_));
}

}  // namespace dasgd::experiments
