#include "core/sim/network/platform_elements.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <system_error>

namespace dasgd {

namespace {

using Text = std::string_view;
using Kind = PlatformValue;

bool isPrintable(Text value) {
    return value.size() <= 255 && std::ranges::all_of(value, [](char c) {
               return c >= ' ' && c <= '~' && Text("&<>\"'").find(c) == Text::npos;
           });
}
bool isName(Text value) { return !value.empty() && isPrintable(value); }

bool isOneOf(Text value, std::initializer_list<Text> choices) {
    return std::ranges::find(choices, value) != choices.end();
}

struct Quantity {
    double number = 0;
    Text unit;
};

std::optional<Quantity> quantityIn(Text value) {
    Quantity quantity;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), quantity.number);
    if (error != std::errc() || !std::isfinite(quantity.number)) return std::nullopt;
    quantity.unit = value.substr(static_cast<std::size_t>(end - value.data()));
    return quantity;
}

// `unit` is one of `bases`, with one of `prefixes` or without.
bool isUnit(Text unit, std::initializer_list<Text> prefixes, std::initializer_list<Text> bases) {
    return std::ranges::any_of(bases, [&](Text base) {
        if (!unit.ends_with(base)) return false;
        const Text prefix = unit.substr(0, unit.size() - base.size());
        return prefix.empty() || isOneOf(prefix, prefixes);
    });
}

bool isBandwidth(Text value) {
    const auto quantity = quantityIn(value);
    return quantity && quantity->number > 0 &&
           isUnit(quantity->unit, {"k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}, {"bps", "Bps"});
}

bool isTime(Text value) {
    const auto quantity = quantityIn(value);
    if (!quantity || quantity->number < 0) return false;
    if (quantity->unit.empty()) return quantity->number == 0;
    return isOneOf(quantity->unit, {"w", "d", "h", "m", "s", "ms", "us", "ns", "ps"});
}

bool isSpeed(Text value) {
    const auto quantity = quantityIn(value);
    return quantity && quantity->number > 0 &&
           (isUnit(quantity->unit, {"k", "M", "G", "T", "P", "E"}, {"f"}) ||
            isUnit(quantity->unit, {"kilo", "mega", "giga", "tera", "peta", "exa"}, {"flops"}));
}

std::vector<Text> split(Text text, char separator) {
    std::vector<Text> parts;
    for (std::size_t end = 0; (end = text.find(separator)) != Text::npos; text.remove_prefix(end + 1)) {
        parts.push_back(text.substr(0, end));
    }
    parts.push_back(text);
    return parts;
}

// -1 where it is none.
std::int64_t wholeNumber(Text text) {
    std::int64_t number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size() && number >= 0;
    return whole && number <= 1'000'000'000 ? number : -1;
}

bool isSpeedList(Text value) {
    const auto all = split(value, ',');
    return std::ranges::all_of(all, [](Text one) {
        while (one.starts_with(' ')) one.remove_prefix(1);
        return isSpeed(one);
    });
}

bool isShape(Text value) { return isPrintable(value) && value.find_first_not_of("0123456789,; ") == Text::npos; }

constexpr Kind kName{isName, "1 to 255 printable ASCII characters without & < > \" '"};
constexpr Kind kAffix{isPrintable, "printable ASCII characters without & < > \" '"};
constexpr Kind kBandwidth{isBandwidth, "a number above 0 and its unit, as 10Gbps or 1.25GBps"};
constexpr Kind kTime{isTime, "a number and its unit, as 50us; not below 0"};
constexpr Kind kSpeeds{isSpeedList, "a number above 0 and its unit, as 1Gf"};
constexpr Kind kCores{[](Text value) { return wholeNumber(value) >= 1; }, "a whole number from 1"};
constexpr Kind kRadical{[](Text value) { return countOfRadical(value) > 0; }, "numbers and ranges, as 0-3,7"};
constexpr Kind kShape{isShape, "numbers with commas and semicolons between them, as 2;4,4;1,2;1,2"};
constexpr Kind kVersion{[](Text value) { return isOneOf(value, {"4", "4.0", "4.1"}); }, "4 or 4.1"};
constexpr Kind kRouting{[](Text value) {
                            return isOneOf(value, {"Full", "Floyd", "Dijkstra", "DijkstraCache", "Cluster", "None"});
                        },
                        "Full, Floyd, Dijkstra, DijkstraCache, Cluster or None"};
constexpr Kind kSharing{[](Text value) {
                            return isOneOf(value, {"SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE"});
                        },
                        "SHARED, SPLITDUPLEX, FULLDUPLEX or FATPIPE"};
constexpr Kind kBackboneSharing{[](Text value) { return isOneOf(value, {"SHARED", "FATPIPE"}); }, "SHARED or FATPIPE"};
constexpr Kind kTopology{[](Text value) {
                             return isOneOf(value, {"FLAT", "TORUS", "FAT_TREE", "DRAGONFLY"});
                         },
                         "FLAT, TORUS, FAT_TREE or DRAGONFLY"};
constexpr Kind kYesNo{[](Text value) { return isOneOf(value, {"YES", "NO", "yes", "no"}); }, "YES or NO"};
constexpr Kind kDirection{[](Text value) { return isOneOf(value, {"UP", "DOWN", "NONE"}); }, "UP, DOWN or NONE"};
constexpr Kind kLeftOut{nullptr, ""};

std::vector<PlatformAttribute> clusterAttributes() {
    return {{"id", &kName},
            {"prefix", &kAffix},
            {"suffix", &kAffix},
            {"radical", &kRadical},
            {"speed", &kSpeeds},
            {"core", &kCores, false},
            {"bw", &kBandwidth},
            {"lat", &kTime},
            {"sharing_policy", &kSharing, false},
            {"topology", &kTopology, false},
            {"topo_parameters", &kShape, false},
            {"bb_bw", &kBandwidth, false},
            {"bb_lat", &kTime, false},
            {"bb_sharing_policy", &kBackboneSharing, false},
            {"router_id", &kName, false},
            {"limiter_link", &kBandwidth, false},
            {"loopback_bw", &kBandwidth, false},
            {"loopback_lat", &kTime, false}};
}

std::vector<PlatformAttribute> cabinetAttributes() {
    return {{"id", &kName},      {"prefix", &kAffix}, {"suffix", &kAffix}, {"radical", &kRadical},
            {"speed", &kSpeeds}, {"bw", &kBandwidth}, {"lat", &kTime}};
}

}  // namespace

// How many numbers "0-3,7" names; -1 where it is no such list.
std::int64_t countOfRadical(Text value) {
    std::int64_t count = 0;
    for (const Text group : split(value, ',')) {
        const auto dash = group.find('-');
        const std::int64_t first = wholeNumber(group.substr(0, dash));
        const std::int64_t last = dash == Text::npos ? first : wholeNumber(group.substr(dash + 1));
        if (first < 0 || last < first) return -1;
        count += last - first + 1;
    }
    return count;
}

// What a network needs of SimGrid's DTD (simgrid.org/simgrid.dtd). Left out on purpose: config; include, trace and
// trace_connect; process and actor; random; storage, mount and disk; peer and its coordinates; model_prop; every
// attribute that names a file.
const std::map<Text, PlatformElement>& platformElements() {
    static const std::vector<PlatformAttribute> ends{{"src", &kName}, {"dst", &kName}};
    static const std::vector<PlatformAttribute> route{
        {"src", &kName}, {"dst", &kName}, {"symmetrical", &kYesNo, false}};
    static const std::vector<PlatformAttribute> zoneEnds{
        {"src", &kName}, {"dst", &kName}, {"gw_src", &kName}, {"gw_dst", &kName}};
    static const std::vector<PlatformAttribute> zoneRoute{
        {"src", &kName}, {"dst", &kName}, {"gw_src", &kName}, {"gw_dst", &kName}, {"symmetrical", &kYesNo, false}};
    static const std::vector<PlatformAttribute> zone{{"id", &kName}, {"routing", &kRouting}};
    static const std::set<Text> inZone{
        "AS",   "ASroute",   "backbone", "bypassASroute", "bypassRoute", "cabinet", "cluster", "bypassZoneRoute",
        "host", "host_link", "link",     "prop",          "route",       "router",  "zone",    "zoneRoute"};
    static const std::set<Text> links{"link_ctn"};
    static const std::map<Text, PlatformElement> all{
        {"platform", {"platform", {{"version", &kVersion}}, {"AS", "cluster", "zone"}}},
        {"zone", {"zone", zone, inZone}},
        {"AS", {"zone", zone, inZone}},
        {"host", {"host", {{"id", &kName}, {"speed", &kSpeeds}, {"core", &kCores, false}}, {"prop"}}},
        {"router", {"router", {{"id", &kName}}, {}}},
        {"link",
         {"link",
          {{"id", &kName},
           {"bandwidth", &kBandwidth},
           {"latency", &kTime, false},
           {"sharing_policy", &kSharing, false}},
          {"prop"}}},
        {"backbone", {"backbone", {{"id", &kName}, {"bandwidth", &kBandwidth}, {"latency", &kTime}}, {}}},
        {"host_link", {"host_link", {{"id", &kName}, {"up", &kName}, {"down", &kName}}, {}}},
        {"cluster", {"cluster", clusterAttributes(), {"prop"}}},
        {"cabinet", {"cabinet", cabinetAttributes(), {}}},
        {"route", {"route", route, links}},
        {"zoneRoute", {"zoneRoute", zoneRoute, links}},
        {"ASroute", {"zoneRoute", zoneRoute, links}},
        {"bypassRoute", {"bypassRoute", ends, links}},
        {"bypassZoneRoute", {"bypassZoneRoute", zoneEnds, links}},
        {"bypassASroute", {"bypassZoneRoute", zoneEnds, links}},
        {"link_ctn", {"link_ctn", {{"id", &kName}, {"direction", &kDirection, false}}, {}}},
        {"prop", {"", {{"id", &kLeftOut}, {"value", &kLeftOut}}, {}}},
    };
    return all;
}

// Why something that SimGrid knows is not allowed, where more is to be said than that.
Text reasonAgainst(Text name) {
    if (name == "config") return "it sets options of SimGrid, which are the program's";
    if (name == "include" || name.ends_with("file")) {
        return "it names another file, and a run keeps a copy of one file; write everything into that one";
    }
    if (name.starts_with("trace")) return "what changes in time is for [faults] and [network.background] to say";
    if (name == "process" || name == "actor") return "the ranks are the only actors";
    if (name == "peer" || name == "coordinates") return "networks by coordinates are not supported";
    return "";
}

}  // namespace dasgd
