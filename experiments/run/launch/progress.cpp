#include "experiments/run/launch/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "experiments/base/text.h"

namespace dasgd::experiments {

namespace {

constexpr Ns kBarInterval = 200'000'000;
constexpr Ns kLineInterval = 15'000'000'000;
constexpr int kBarCells = 24;

int terminalWidth() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

}  // namespace

Progress::Style Progress::styleFor(bool quiet, bool json) {
    if (json) return Style::Json;
    if (quiet) return Style::Silent;
    return ::isatty(STDERR_FILENO) ? Style::Bar : Style::Lines;
}

Progress::Progress(const std::string& title, std::int64_t totalSteps, Style style)
    : title_(printable(title)), total_(totalSteps), style_(style) {
    if (style_ == Style::Json) printJson(0, "");
}

Progress::~Progress() { erase(); }

std::string Progress::barText(std::int64_t completed, std::int64_t total, double elapsedS, int width) {
    const double part =
        total > 0 ? std::clamp(static_cast<double>(completed) / static_cast<double>(total), 0.0, 1.0) : 0;
    const auto full = static_cast<std::size_t>(part * width);
    std::string text = "[" + std::string(full, '#') + std::string(static_cast<std::size_t>(width) - full, '.') + "] ";
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "%3d %%  %lld/%lld steps", static_cast<int>(part * 100),
                  static_cast<long long>(completed), static_cast<long long>(total));
    text += numbers;
    if (completed <= 0 || elapsedS <= 0) return text;
    const double rate = static_cast<double>(completed) / elapsedS;
    std::snprintf(numbers, sizeof numbers, "  %.*f steps/s", rate < 10 ? 1 : 0, rate);
    return text + numbers + "  ETA " + duration(static_cast<double>(total - completed) / rate);
}

void Progress::update(std::int64_t completedSteps, const std::string& remark) {
    if (style_ == Style::Silent) return;
    const Ns now = MonotonicClock::rawNow();
    if (style_ == Style::Json) {
        if (now - drawnAt_ < kBarInterval && completedSteps < total_) return;
        drawnAt_ = now;
        return printJson(completedSteps, remark);
    }
    if (completedSteps > 0 && firstStepAt_ == 0) {
        firstStepAt_ = now;
        firstStep_ = completedSteps;
    }
    if (now - drawnAt_ < (style_ == Style::Bar ? kBarInterval : kLineInterval)) return;
    const bool first = drawnAt_ == 0;
    drawnAt_ = now;
    if (style_ == Style::Lines && first) return;
    // The rate leaves the start-up out: time counts from the first step seen, for the steps since.
    const std::int64_t since = completedSteps - firstStep_;
    const double seconds = static_cast<double>(now - firstStepAt_) * 1e-9;
    const double scaled = since > 0 ? seconds * static_cast<double>(completedSteps) / static_cast<double>(since) : 0;
    std::string line = title_ + "  " + barText(completedSteps, total_, scaled, kBarCells);
    if (!remark.empty()) line += "  " + printable(remark);
    if (style_ == Style::Lines) {
        std::fprintf(stderr, "%s\n", line.c_str());
        return;
    }
    const auto width = static_cast<std::size_t>(terminalWidth() - 1);
    if (line.size() > width) line.resize(width);
    std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
    std::fflush(stderr);
    drawn_ = true;
}

void Progress::printJson(std::int64_t completedSteps, const std::string& remark) const {
    const nlohmann::json line = {
        {"progress", {{"title", title_}, {"completed", completedSteps}, {"total", total_}, {"remark", remark}}}};
    std::fprintf(stderr, "%s\n", dumpLine(line).c_str());
}

void Progress::note(const std::string& line) {
    erase();
    std::fprintf(stderr, "%s\n", printable(line).c_str());
}

void Progress::erase() {
    if (!drawn_) return;
    std::fprintf(stderr, "\r\x1b[K");
    std::fflush(stderr);
    drawn_ = false;
}

}  // namespace dasgd::experiments
