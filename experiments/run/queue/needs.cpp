#include "experiments/run/queue/needs.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include "core/base/schema/toml_reader.h"
#include "experiments/config/document.h"
#include "experiments/run/host/hardware.h"

namespace dasgd::experiments {

namespace {

constexpr int kMostCpus = 1'000'000;

// A set as large as the kernel's, which may know more CPUs than cpu_set_t has room for.
struct CpuSet {
    explicit CpuSet(int cpus) : bytes(CPU_ALLOC_SIZE(cpus)), set(CPU_ALLOC(cpus)) { CPU_ZERO_S(bytes, set); }
    ~CpuSet() { CPU_FREE(set); }
    CpuSet(const CpuSet&) = delete;
    CpuSet& operator=(const CpuSet&) = delete;
    std::size_t bytes;
    cpu_set_t* set;
};

std::vector<int> ownCpus() {
    std::vector<int> cpus;
    for (int room = 1024; room <= kMostCpus && cpus.empty(); room *= 4) {
        CpuSet own(room);
        if (::sched_getaffinity(0, own.bytes, own.set) != 0) continue;
        for (int cpu = 0; cpu < room; ++cpu) {
            if (CPU_ISSET_S(static_cast<std::size_t>(cpu), own.bytes, own.set)) cpus.push_back(cpu);
        }
    }
    return cpus;
}

std::vector<std::string> ownGpus() {
    std::vector<std::string> names;
    if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
        std::istringstream each(visible);
        for (std::string name; std::getline(each, name, ',');) names.push_back(name);
        return names;
    }
    const std::size_t count = gpus().size();
    for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
    return names;
}

template <class T>
Status keepFirst(std::vector<T>& all, std::optional<int> count, const char* option, const char* what) {
    if (!count) return {};
    if (static_cast<std::size_t>(*count) > all.size()) {
        return fail(std::string(option) + " " + std::to_string(*count) + ": this process may use " +
                    std::to_string(all.size()) + " " + what);
    }
    all.resize(static_cast<std::size_t>(*count));
    return {};
}

std::string counted(int count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::optional<int> numberOf(std::string_view text) {
    int number = -1;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc() || end != text.data() + text.size() || number < 0 || number > kMostCpus) return {};
    return number;
}

}  // namespace

Needs needsOf(const Value& resolved) {
    const auto number = [&](const char* key, std::int64_t otherwise) {
        const auto* found = valueAt<std::int64_t>(resolved, "cluster", key);
        return found ? std::clamp<std::int64_t>(*found, 1, kMostCpus) : otherwise;
    };
    const std::int64_t workers = number("workers", 1), threads = number("threads_per_worker", 1);
    const auto* backend = valueAt<std::string>(resolved, "cluster", "backend");
    if (backend && *backend == "virtual") return {.cores = static_cast<int>(threads)};
    Needs needs{.cores = static_cast<int>(std::min<std::int64_t>(workers * threads, kMostCpus))};
    // A field of the backends whose ranks are on GPUs.
    const std::int64_t ranksPerGpu = number("ranks_per_gpu", 0);
    if (ranksPerGpu > 0) needs.gpus = static_cast<int>((workers + ranksPerGpu - 1) / ranksPerGpu);
    return needs;
}

Needs needsOf(const std::string& resolvedToml) {
    const auto document = parseToml(resolvedToml, "experiment");
    return document ? needsOf(*document) : Needs{};
}

std::string inWords(const Needs& needs) {
    return counted(needs.cores, "core") + (needs.gpus > 0 ? " and " + counted(needs.gpus, "GPU") : "");
}

Result<Machine> ownMachine(std::optional<int> cores, std::optional<int> gpus) {
    Machine machine{.cpus = ownCpus(), .gpus = ownGpus()};
    DASGD_TRY(keepFirst(machine.cpus, cores, "--cores", "cores"));
    DASGD_TRY(keepFirst(machine.gpus, gpus, "--gpus", "GPUs"));
    return machine;
}

std::string listText(const std::vector<int>& numbers) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
        if (last > i) text += "-" + std::to_string(numbers[last]);
        i = last + 1;
    }
    return text;
}

std::optional<std::vector<int>> listOf(const std::string& text) {
    std::vector<int> numbers;
    std::istringstream each(text);
    for (std::string part; std::getline(each, part, ',');) {
        const auto dash = part.find('-');
        const auto first = numberOf(std::string_view(part).substr(0, dash));
        const auto last = dash == std::string::npos ? first : numberOf(std::string_view(part).substr(dash + 1));
        if (!first || !last || *last < *first) return std::nullopt;
        for (int number = *first; number <= *last; ++number) numbers.push_back(number);
    }
    return numbers;
}

Status runOn(const std::vector<int>& cpus) {
    if (cpus.empty()) return {};
    CpuSet wanted(std::ranges::max(cpus) + 1);
    for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), wanted.bytes, wanted.set);
    if (::sched_setaffinity(0, wanted.bytes, wanted.set) == 0) return {};
    return fail("cannot run on the cores " + listText(cpus) + ": " + std::generic_category().message(errno));
}

}  // namespace dasgd::experiments
