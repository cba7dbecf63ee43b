#include "core/sim/network/platform_elements.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
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

Text trimmed(Text text) {
    constexpr Text kBlanks = " \t\r\n";
    const auto begin = text.find_first_not_of(kBlanks);
    return begin == Text::npos ? Text() : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

struct Quantity {
    double number = 0;
    Text digits;  // the number as it is written
    Text unit;
};

std::optional<Quantity> quantityIn(Text value) {
    value = trimmed(value);
    Quantity quantity;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), quantity.number);
    if (error != std::errc() || !std::isfinite(quantity.number)) return std::nullopt;
    const auto length = static_cast<std::size_t>(end - value.data());
    quantity.digits = value.substr(0, length);
    quantity.unit = trimmed(value.substr(length));
    return quantity;
}

// A right value with its unit behind it, SimGrid's own where none is given (its DTD, "New in DTD version 4").
std::string withUnit(Text value, Text unit) {
    const auto quantity = quantityIn(value);
    return std::string(quantity->digits).append(quantity->unit.empty() ? unit : quantity->unit);
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
           (quantity->unit.empty() ||
            isUnit(quantity->unit, {"k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}, {"bps", "Bps"}));
}

bool isTime(Text value) {
    const auto quantity = quantityIn(value);
    return quantity && quantity->number >= 0 &&
           isOneOf(quantity->unit, {"", "w", "d", "h", "m", "s", "ms", "us", "ns", "ps"});
}

// Computing takes the time that [compute] says, so that a host may have no speed of its own.
bool isSpeed(Text value) {
    const auto quantity = quantityIn(value);
    return quantity && quantity->number >= 0 &&
           (quantity->unit.empty() || isUnit(quantity->unit, {"k", "M", "G", "T", "P", "E", "Z", "Y"}, {"f"}) ||
            isUnit(quantity->unit, {"kilo", "mega", "giga", "tera", "peta", "exa", "zetta", "yotta"}, {"flops"}));
}

std::vector<Text> split(Text text, char separator) {
    std::vector<Text> parts;
    for (std::size_t end = 0; (end = text.find(separator)) != Text::npos; text.remove_prefix(end + 1)) {
        parts.push_back(text.substr(0, end));
    }
    parts.push_back(text);
    return parts;
}

// -1 where the text is no whole number.
std::int64_t wholeNumber(Text text) {
    std::int64_t number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size() && number >= 0;
    return whole && number <= 1'000'000'000 ? number : -1;
}

bool isSpeedList(Text value) {
    const auto all = split(value, ',');
    return std::ranges::all_of(all, isSpeed);
}

std::string speedsWritten(Text value) {
    std::string list;
    for (const Text one : split(value, ',')) list.append(list.empty() ? "" : ",").append(withUnit(one, "f"));
    return list;
}

bool isPlace(Text value) {
    double number = 0;
    int numbers = 0;
    for (value = trimmed(value); !value.empty(); value = trimmed(value), ++numbers) {
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc() || !std::isfinite(number)) return false;
        value.remove_prefix(static_cast<std::size_t>(end - value.data()));
        if (!value.empty() && trimmed(value).size() == value.size()) return false;
    }
    return numbers == 3;
}

// SimGrid takes the names of routings in any case.
bool isRouting(Text value) {
    std::string small(value);
    std::ranges::transform(small, small.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return isOneOf(small, {"full", "floyd", "dijkstra", "dijkstracache", "cluster", "vivaldi", "none"});
}

// Options of SimGrid that change no times of messages. None is passed on.
bool isIdleOption(Text value) {
    return std::ranges::any_of(
        std::initializer_list<Text>{"tracing", "path", "contexts/", "cpu/", "plugin", "log", "smpi/", "model-check",
                                    "exception/", "debug/", "storage/", "disk/", "precision/", "network/coordinates"},
        [&](Text begin) { return value.starts_with(begin); });
}

bool isShape(Text value) { return isPrintable(value) && value.find_first_not_of("0123456789,; ") == Text::npos; }

constexpr Kind kName{isName, "1 to 255 printable ASCII characters without & < > \" '"};
constexpr Kind kAffix{isPrintable, "printable ASCII characters without & < > \" '"};
constexpr Kind kBandwidth{isBandwidth, "a number above 0 and its unit, as 10Gbps or 1.25GBps",
                          [](Text value) { return withUnit(value, "Bps"); }};
constexpr Kind kTime{isTime, "a number and its unit, as 50us; not below 0",
                     [](Text value) { return withUnit(value, "s"); }};
constexpr Kind kSpeeds{isSpeedList, "a number and its unit, as 1Gf, or several with commas between them; not below 0",
                       speedsWritten};
constexpr Kind kPlace{isPlace, "three numbers with blanks between them, as 25.5 9.4 1.4"};
constexpr Kind kCores{[](Text value) { return wholeNumber(value) >= 1; }, "a whole number from 1"};
constexpr Kind kRadical{[](Text value) { return countOfRadical(value) > 0; }, "numbers and ranges, as 0-3,7"};
constexpr Kind kShape{isShape, "numbers with commas and semicolons between them, as 2;4,4;1,2;1,2"};
constexpr Kind kVersion{[](Text value) { return isOneOf(value, {"4", "4.0", "4.1"}); }, "4 or 4.1"};
constexpr Kind kRouting{
    isRouting, "Full, Floyd, Dijkstra, DijkstraCache, Cluster, Vivaldi or None; wireless networks are not simulated"};
constexpr Kind kSharing{[](Text value) {
                            return isOneOf(value, {"SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE"});
                        },
                        "SHARED, SPLITDUPLEX, FULLDUPLEX or FATPIPE; wireless networks are not simulated"};
constexpr Kind kBackboneSharing{[](Text value) { return isOneOf(value, {"SHARED", "FATPIPE"}); }, "SHARED or FATPIPE"};
constexpr Kind kTopology{[](Text value) {
                             return isOneOf(value, {"FLAT", "TORUS", "FAT_TREE", "DRAGONFLY"});
                         },
                         "FLAT, TORUS, FAT_TREE or DRAGONFLY"};
constexpr Kind kYesNo{[](Text value) { return isOneOf(value, {"YES", "NO", "yes", "no"}); }, "YES or NO"};
constexpr Kind kDirection{[](Text value) { return isOneOf(value, {"UP", "DOWN", "NONE"}); }, "UP, DOWN or NONE"};
constexpr Kind kChange{[](Text value) { return value == "SPEED"; },
                       "SPEED, which changes no network; links and hosts that change in time are for [faults] and "
                       "[network.background] to say"};
constexpr Kind kOption{
    isIdleOption,
    "options that change no times of messages, as tracing or contexts/…; how messages share links is "
    "the program's, so remove this option to run without it"};
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

// Number of numbers in a list such as "0-3,7"; -1 where it is no such list.
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

// Elements of SimGrid's DTD (simgrid.org/simgrid.dtd) that a network needs, and elements that change nothing of it and
// are left out: disks, the speeds of hosts in time, the states of processors, properties, options that are not of the
// network. Not read on purpose: include; links and hosts that change in time; process and actor; Wi-Fi.
const std::map<Text, PlatformElement>& platformElements() {
    static const std::vector<PlatformAttribute> ends{{"src", &kName}, {"dst", &kName}};
    static const std::vector<PlatformAttribute> route{
        {"src", &kName}, {"dst", &kName}, {"symmetrical", &kYesNo, false}};
    static const std::vector<PlatformAttribute> zoneEnds{
        {"src", &kName}, {"dst", &kName}, {"gw_src", &kName}, {"gw_dst", &kName}};
    static const std::vector<PlatformAttribute> zoneRoute{
        {"src", &kName}, {"dst", &kName}, {"gw_src", &kName}, {"gw_dst", &kName}, {"symmetrical", &kYesNo, false}};
    static const std::vector<PlatformAttribute> zone{{"id", &kName}, {"routing", &kRouting}};
    static const std::vector<PlatformAttribute> host{{"id", &kName},
                                                     {"speed", &kSpeeds},
                                                     {"core", &kCores, false},
                                                     {"coordinates", &kPlace, false},
                                                     {"pstate", &kLeftOut, false},
                                                     {"speed_file", &kLeftOut, false},
                                                     {"availability_file", &kLeftOut, false}};
    static const std::vector<PlatformAttribute> peer{{"id", &kName},
                                                     {"speed", &kSpeeds},
                                                     {"bw_in", &kBandwidth},
                                                     {"bw_out", &kBandwidth},
                                                     {"coordinates", &kPlace},
                                                     {"lat", &kLeftOut, false},
                                                     {"speed_file", &kLeftOut, false},
                                                     {"availability_file", &kLeftOut, false}};
    static const std::set<Text> inZone{
        "AS",      "ASroute",      "backbone", "bypassASroute", "bypassRoute", "cabinet",  "cluster", "bypassZoneRoute",
        "host",    "host_link",    "link",     "peer",          "prop",        "random",   "route",   "router",
        "storage", "storage_type", "trace",    "trace_connect", "zone",        "zoneRoute"};
    static const std::set<Text> links{"link_ctn"};
    static const PlatformElement skipped{"", {}, {}, true};
    static const std::map<Text, PlatformElement> all{
        {"platform",
         {"platform",
          {{"version", &kVersion}},
          {"AS", "cluster", "config", "peer", "random", "trace", "trace_connect", "zone"}}},
        {"zone", {"zone", zone, inZone}},
        {"AS", {"zone", zone, inZone}},
        {"host", {"host", host, {"disk", "mount", "prop"}}},
        {"peer", {"peer", peer, {}}},
        {"router", {"router", {{"id", &kName}, {"coordinates", &kPlace, false}}, {}}},
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
        {"config", {"", {{"id", &kLeftOut, false}}, {"prop"}}},
        {kConfigOption, {"", {{"id", &kOption}, {"value", &kLeftOut}}, {}}},
        {"trace_connect", {"", {{"kind", &kChange}, {"trace", &kLeftOut}, {"element", &kLeftOut}}, {}}},
        {"trace", skipped},
        {"disk", skipped},
        {"mount", skipped},
        {"random", skipped},
        {"storage", skipped},
        {"storage_type", skipped},
    };
    return all;
}

// Reason why an element or attribute that SimGrid knows is not allowed, where there is one to give.
Text reasonAgainst(Text name) {
    if (name == "state_file" || name == "bandwidth_file" || name == "latency_file") {
        return "what changes in time is for [faults] and [network.background] to say; write it there, and remove the "
               "attribute";
    }
    if (name == "include" || name.ends_with("file")) {
        return "it names another file, and a run keeps a copy of one file; write everything into that one";
    }
    if (name == "process" || name == "actor") return "the ranks are the only actors";
    return "";
}

}  // namespace dasgd
