#include "experiments/cluster/host/host_ranks.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <utility>

#include "experiments/base/text.h"
#include "experiments/cluster/host/host_facts.h"
#include "experiments/cluster/host/host_messages.h"
#include "experiments/tools/report/run_summary.h"
#include "experiments/transport/curve/run_secret.h"
#include "storage/read/run_reader.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTailBytes = 8192;
constexpr std::size_t kTailLines = 4;

std::set<std::string> runsIn(const storage::WorkspacePaths& paths) {
    std::set<std::string> names;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(paths.root / "runs", code)) {
        names.insert(entry.path().filename().string());
    }
    return names;
}

Status writeForOwner(const fs::path& file, const std::string& text) {
    DASGD_TRY(storage::makeOwnFolder(file.parent_path()));
    const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!out || ::write(out.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        return fail(file.string() + ": cannot be written: " + ::strerror(errno));
    }
    return {};
}

std::vector<std::string> lastLines(const fs::path& log) {
    std::ifstream in(log, std::ios::binary);
    in.seekg(0, std::ios::end);
    const auto size = static_cast<std::size_t>(std::max<std::streamoff>(0, in.tellg()));
    in.seekg(static_cast<std::streamoff>(size - std::min(size, kTailBytes)));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

// The line that `dasgd worker --json` prints at its end.
nlohmann::json resultLine(const fs::path& log) {
    for (const std::string& line : lastLines(log)) {
        auto json = nlohmann::json::parse(line, nullptr, false);
        if (json.is_object() && json.contains("run_id")) return json;
    }
    return nullptr;
}

std::string lastWords(const fs::path& log) {
    std::vector<std::string> lines = lastLines(log);
    std::erase_if(lines, [](const std::string& line) { return line.empty() || line.front() == '{'; });
    std::string text;
    const std::size_t from = lines.size() - std::min(lines.size(), kTailLines);
    for (std::size_t i = from; i < lines.size(); ++i) text += (text.empty() ? "" : "\n") + printableWords(lines[i]);
    return text;
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RanksRequest, experiment, workspace, secret, address, interface, port, size, first,
                                   count, gpus, bytesOfRank, resume, earlier, earlierStep, environment)

nlohmann::json RanksRequest::toJson() const { return *this; }

Result<RanksRequest> RanksRequest::from(const nlohmann::json& json) {
    try {
        return json.get<RanksRequest>();
    } catch (const nlohmann::json::exception& error) {
        return fail(std::string("this request cannot be read: ") + error.what());
    }
}

nlohmann::json resultOf(const storage::RunRow& row, const storage::WorkspacePaths& paths) {
    return {{"row", toJson(row)}, {"workspace", paths.root.string()}, {"summary", summaryLine(row)}};
}

Result<std::unique_ptr<HostRanks>> HostRanks::start(RanksRequest request, const std::string& program) {
    std::unique_ptr<HostRanks> made(new HostRanks(std::move(request)));
    HostRanks& all = *made;
    const auto now =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
    all.paths_ = {fs::absolute(withHome(all.request_.workspace))};
    all.stamp_ = std::to_string(now.count()) + "-" + std::to_string(::getpid());
    DASGD_TRY(storage::prepareWorkspace(all.paths_.root));
    all.earlier_ = runsIn(all.paths_);
    all.file_ = all.paths_.root / "experiments" / ("on-" + all.stamp_ + ".toml");
    DASGD_TRY(writeForOwner(all.file_, all.request_.experiment));
    DASGD_TRY(storage::makeOwnFolder(all.paths_.root / "logs"));
    for (int rank = all.request_.first; rank < all.request_.first + all.request_.count; ++rank) {
        ChildProcess::Options options = all.options(rank, program);
        options.environment = all.environment(rank);
        DASGD_ASSIGN(ChildProcess process, ChildProcess::start(options));
        all.ranks_.push_back({rank, std::move(process), options.log, {}, false});
    }
    return made;
}

HostRanks::~HostRanks() {
    if (file_.empty()) return;
    std::error_code ignored;
    fs::remove(file_, ignored);
}

ChildProcess::Options HostRanks::options(int rank, const std::string& program) const {
    ChildProcess::Options options;
    options.program = program;
    options.arguments = {"worker",
                         file_.string(),
                         "--workspace",
                         paths_.root.string(),
                         "--json",
                         "--launcher",
                         std::to_string(::getpid())};
    if (request_.resume) options.arguments.emplace_back("--resume");
    if (!request_.earlier.empty()) {
        options.arguments.insert(options.arguments.end(),
                                 {"--from", request_.earlier, "--step", std::to_string(request_.earlierStep)});
    }
    options.log = paths_.root / "logs" / ("on-" + stamp_ + "-rank-" + std::to_string(rank) + ".log");
    options.blocked = {SIGINT, SIGTERM, SIGUSR1, SIGUSR2};  // until its StopSignals take them in
    return options;
}

std::vector<std::string> HostRanks::environment(int rank) const {
    std::vector<std::string> all = request_.environment;
    const auto set = [&](const std::string& name, const std::string& value) {
        std::erase_if(all, [&](const std::string& one) { return one.starts_with(name + "="); });
        all.push_back(name + "=" + value);
    };
    set("RANK", std::to_string(rank));
    set("WORLD_SIZE", std::to_string(request_.size));
    set("LOCAL_RANK", std::to_string(rank - request_.first));
    set("LOCAL_WORLD_SIZE", std::to_string(request_.count));
    set("MASTER_ADDR", request_.address);
    set("MASTER_PORT", std::to_string(request_.port));
    set("DASGD_INTERFACE", request_.interface);
    set("TORCHELASTIC_USE_AGENT_STORE", "");
    set(RunSecret::kVariable, request_.secret);
    if (request_.gpus > 0) {
        std::string devices;
        for (std::int64_t gpu = 0; gpu < request_.gpus; ++gpu) devices += (gpu ? "," : "") + std::to_string(gpu);
        set("CUDA_VISIBLE_DEVICES", devices);
    }
    return all;
}

// A second signal would end a rank at once, with what it is still saving.
void HostRanks::stop() {
    const auto alive = std::ranges::find_if(ranks_, [](const One& one) { return !one.exit; });
    if (alive != ranks_.end() && !std::exchange(alive->asked, true)) alive->process.signal(SIGINT);
}

void HostRanks::end() {
    for (One& one : ranks_) one.process.signal(SIGKILL);
}

void HostRanks::attend(const Tell& tell) {
    for (One& one : ranks_) {
        if (one.exit) continue;
        one.exit = one.process.poll();
        if (one.exit) tell(ended(one));
    }
    if (running()) return tellProgress(tell);
    if (allTold_) return;
    allTold_ = true;
    tell({{"event", kAllEndedEvent}, {"result", result()}});
}

bool HostRanks::running() const {
    return std::ranges::any_of(ranks_, [](const One& one) { return !one.exit; });
}

std::set<std::string> HostRanks::runsSince() const {
    std::set<std::string> since = runsIn(paths_);
    for (const std::string& run : earlier_) since.erase(run);
    return since;
}

std::vector<int> HostRanks::watched() const {
    std::vector<int> all;
    for (const One& one : ranks_) {
        if (!one.exit) all.push_back(one.process.pidFd());
    }
    return all;
}

nlohmann::json HostRanks::ended(const One& one) const {
    return {{"event", kEndedEvent},       {"rank", one.rank},        {"code", one.exit->code},
            {"signal", one.exit->signal}, {"log", one.log.string()}, {"words", lastWords(one.log)}};
}

// The final line of rank 0 with the summary for people; null on other hosts and if rank 0 printed none.
nlohmann::json HostRanks::result() const {
    if (request_.first != 0) return nullptr;
    nlohmann::json line = resultLine(ranks_.front().log);
    if (line.is_null()) return nullptr;
    nlohmann::json result = {{"row", line}, {"workspace", paths_.root.string()}};
    auto reader = storage::RunReader::open(paths_.root);
    if (!reader) return result;
    const auto row = reader->row(line.value("run_id", ""));
    if (row) result["summary"] = summaryLine(*row);
    return result;
}

// Rank 0 makes the page of the run once it has named it.
void HostRanks::tellProgress(const Tell& tell) {
    if (request_.first != 0) return;
    if (!control_) {
        for (const std::string& name : runsIn(paths_)) {
            if (earlier_.contains(name)) continue;
            auto page = RunControl::open(paths_.control(name));
            if (!page || page->ranks() != request_.size) continue;
            control_ = std::move(*page);
            run_ = name;
        }
    }
    if (!control_) return;
    const std::int64_t completed = control_->completed(Rank(0));
    if (completed == told_) return;
    told_ = completed;
    tell({{"event", kProgressEvent}, {"run", run_}, {"completed", completed}});
}

}  // namespace dasgd::experiments
