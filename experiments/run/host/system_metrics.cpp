#include "experiments/run/host/system_metrics.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <sstream>
#include <utility>

#include "core/base/metric_names.h"

namespace dasgd::experiments {

namespace {

double ticksPerSecond() { return static_cast<double>(::sysconf(_SC_CLK_TCK)); }

std::optional<double> numberIn(const std::string& file) {
    double number = 0;
    if (!(std::ifstream(file) >> number)) return std::nullopt;
    return number;
}

// "MemTotal:  16326428 kB".
std::optional<double> memoryInfoBytes(const std::string& key) {
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(key)) continue;
        double kibibytes = 0;
        if (std::istringstream(line.substr(key.size())) >> kibibytes) return kibibytes * 1024;
    }
    return std::nullopt;
}

}  // namespace

std::optional<SystemUse> useOfProcess(int process) {
    const std::string folder = "/proc/" + std::to_string(process);
    std::ifstream file(folder + "/stat");
    std::string text;
    // The name of the program is in parentheses and may hold anything.
    if (!std::getline(file, text) || text.rfind(')') == std::string::npos) return std::nullopt;
    std::istringstream rest(text.substr(text.rfind(')') + 1));
    constexpr int kUserTime = 14, kFirstAfterName = 3;  // fields of proc_pid_stat(5)
    std::string field;
    for (int i = kFirstAfterName; i < kUserTime; ++i) rest >> field;
    double user = 0, system = 0, pages = 0;
    if (!(rest >> user >> system)) return std::nullopt;
    std::ifstream memory(folder + "/statm");
    // One that has ended and was not reaped yet has none.
    if (!(memory >> field >> pages) || pages <= 0) return std::nullopt;
    return SystemUse{(user + system) / ticksPerSecond(), pages * static_cast<double>(::sysconf(_SC_PAGESIZE))};
}

std::optional<SystemUse> useOfHost() {
    std::ifstream file("/proc/stat");
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, softInterrupts = 0;
    if (!(file >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> softInterrupts))
        return std::nullopt;
    const auto total = memoryInfoBytes("MemTotal:"), available = memoryInfoBytes("MemAvailable:");
    if (!total || !available) return std::nullopt;
    return SystemUse{(user + nice + system + interrupts + softInterrupts) / ticksPerSecond(), *total - *available};
}

std::optional<NetworkUse> useOfInterface(const std::string& name) {
    const std::string folder = "/sys/class/net/" + name + "/statistics/";
    const auto sent = numberIn(folder + "tx_bytes"), received = numberIn(folder + "rx_bytes");
    if (!sent || !received) return std::nullopt;
    return NetworkUse{*sent, *received};
}

void SystemMetrics::sample(Ns now, Ns wall, std::int64_t step, storage::Recorder& recorder) {
    if (before_ == 0 || now - before_ >= kPeriod) take(now, wall, step, recorder);
}

void SystemMetrics::take(Ns now, Ns wall, std::int64_t step, storage::Recorder& recorder) {
    const double seconds = before_ == 0 ? 0 : static_cast<double>(now - before_) / 1e9;
    before_ = now;
    wall_ = wall;
    for (const Watched& one : watched_) {
        const auto use = useOfProcess(one.process);
        if (!use) continue;
        const auto [last, first] = cpuSeconds_.try_emplace(one.process, use->cpuSeconds);
        const double used = use->cpuSeconds - std::exchange(last->second, use->cpuSeconds);
        if (!first && seconds > 0) record(recorder, one.rank, metrics::kProcessCpu, step, used / seconds);
        record(recorder, one.rank, metrics::kProcessMemory, step, use->memoryBytes);
    }
    if (host_ == Host::LeftOut) return;
    if (const auto host = useOfHost()) {
        const auto last = std::exchange(hostCpuSeconds_, host->cpuSeconds);
        if (last && seconds > 0)
            record(recorder, hostRank(), metrics::kHostCpu, step, (host->cpuSeconds - *last) / seconds);
        record(recorder, hostRank(), metrics::kHostMemory, step, host->memoryBytes);
    }
    takeGpus(seconds, step, recorder);
    for (const InfinibandUse& use : useOfInfiniband(infiniband_)) {
        count("host/" + use.port + "/sent_bytes_per_s", use.sentBytes, seconds, step, recorder);
        count("host/" + use.port + "/received_bytes_per_s", use.receivedBytes, seconds, step, recorder);
    }
    if (const auto network = useOfInterface(interface_)) {
        const auto last = std::exchange(network_, network);
        if (last && seconds > 0) {
            record(recorder, hostRank(), metrics::kHostSent, step, (network->sentBytes - last->sentBytes) / seconds);
            record(recorder, hostRank(), metrics::kHostReceived, step,
                   (network->receivedBytes - last->receivedBytes) / seconds);
        }
    }
}

void SystemMetrics::takeGpus(double seconds, std::int64_t step, storage::Recorder& recorder) {
    if (!gpus_) return;
    for (const GpuUse& gpu : gpus_->read()) {
        for (const auto& [what, value] : gpu.present) record(recorder, hostRank(), gpu.metric(what), step, value);
        for (const auto& [what, bytes] : gpu.bytesSoFar) count(gpu.metric(what), bytes, seconds, step, recorder);
    }
}

void SystemMetrics::count(const std::string& name, double bytes, double seconds, std::int64_t step,
                          storage::Recorder& recorder) {
    const auto [last, first] = counted_.try_emplace(name, bytes);
    const double since = bytes - std::exchange(last->second, bytes);
    // A counter that starts again from 0 says nothing of this second.
    if (!first && seconds > 0 && since >= 0) record(recorder, hostRank(), name, step, since / seconds);
}

void SystemMetrics::record(storage::Recorder& recorder, int rank, const std::string& name, std::int64_t step,
                           double value) const {
    recorder.measured(rank, {.name = name, .step = step, .wall = wall_, .value = value});
}

SystemWatch::SystemWatch(SystemMetrics metrics, const Clock& clock, storage::Recorder& recorder)
    : thread_([metrics = std::move(metrics), &clock, &recorder](const std::stop_token& stop) mutable {
          constexpr Ns kSecond = SystemMetrics::kPeriod;
          std::mutex mutex;
          std::condition_variable_any stopped;
          std::unique_lock lock(mutex);
          for (Ns next = clock.now() / kSecond + 1; !stop.stop_requested(); ++next) {
              stopped.wait_for(lock, stop, std::chrono::nanoseconds(next * kSecond - clock.now()),
                               [] { return false; });
              if (stop.stop_requested()) return;
              // After a pause of the whole process the seconds that it missed are not made up for.
              next = std::max(next, clock.now() / kSecond);
              metrics.take(MonotonicClock::rawNow(), next * kSecond, -1, recorder);
          }
      }) {}

}  // namespace dasgd::experiments
