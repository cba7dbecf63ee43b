#include "experiments/tools/report/last_seen.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace dasgd::experiments {

namespace {

nlohmann::json orNull(const std::string& text) { return text.empty() ? nlohmann::json() : nlohmann::json(text); }

double secondsAt(Ns instant) { return static_cast<double>(instant) / 1e9; }

std::string inSeconds(Ns instant) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f s", secondsAt(instant));
    return text;
}

}  // namespace

std::string lastSeenText(const storage::RankLastSeen& rank) {
    std::string text = rank.host.empty() ? "" : "on " + rank.host + ": ";
    text += (rank.state.empty() ? "nothing was heard of it" : rank.state + " at step " + std::to_string(rank.step));
    if (!rank.text.empty()) text += " (" + rank.text + ")";
    if (!rank.last) return text + (rank.newest > 0 ? "; last record at " + inSeconds(rank.newest) : "");
    const Span& span = rank.last->span;
    text += "; last ";
    text += nameOf(span.kind);
    if (span.collective > 0) text += " " + std::to_string(span.collective);
    return text + " of step " + std::to_string(span.step) + ", until " + inSeconds(span.end);
}

nlohmann::json toJson(const storage::RankLastSeen& rank) {
    nlohmann::json json = {{"host", orNull(rank.host)},          {"state", orNull(rank.state)},
                           {"text", orNull(rank.text)},          {"step", rank.step},
                           {"newest_s", secondsAt(rank.newest)}, {"operation", nullptr}};
    if (!rank.last) return json;
    const Span& span = rank.last->span;
    json["operation"] = {{"kind", std::string(nameOf(span.kind))},
                         {"collective", span.collective > 0 ? nlohmann::json(span.collective) : nlohmann::json()},
                         {"step", span.step},
                         {"end_s", secondsAt(span.end)}};
    return json;
}

}  // namespace dasgd::experiments
