#include "experiments/trace/chrome_reader.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace dasgd::experiments {

namespace {

constexpr Ns kMost = std::numeric_limits<Ns>::max();
constexpr std::size_t kDeepest = 1000;  // objects and arrays in each other

// A value of the document. Numbers as they are written, so that none loses digits.
struct Scalar {
    std::string_view text;
    bool isTrue = false;
    [[nodiscard]] std::optional<std::int64_t> integer() const {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
        return value;
    }
};

struct EventFields {
    std::string phase, name, category, process, thread, metaName, elementType;
    std::optional<Ns> at, length;
    std::int64_t step = -1, bytes = 0, elements = 0;
    std::uint64_t collective = 0;
};

std::int64_t sizeOf(std::string_view elementType) {
    constexpr std::array<std::pair<std::string_view, int>, 12> kSizes{{{"Float", 4},
                                                                       {"float", 4},
                                                                       {"Double", 8},
                                                                       {"double", 8},
                                                                       {"Half", 2},
                                                                       {"half", 2},
                                                                       {"BFloat16", 2},
                                                                       {"bfloat16", 2},
                                                                       {"Int", 4},
                                                                       {"Long", 8},
                                                                       {"Byte", 1},
                                                                       {"Char", 1}}};
    for (const auto& [name, size] : kSizes) {
        if (name == elementType) return size;
    }
    return 0;
}

TraceEvent::Phase phaseOf(std::string_view text) {
    using Phase = TraceEvent::Phase;
    if (text.size() != 1) return Phase::Other;
    switch (text[0]) {
        case 'X': return Phase::Complete;
        case 'B': return Phase::Begin;
        case 'E': return Phase::End;
        case 'C': return Phase::Counter;
        case 's':
        case 't':
        case 'f': return Phase::Flow;
        case 'i':
        case 'I':
        case 'R': return Phase::Mark;
        default: return Phase::Other;
    }
}

// nlohmann's SAX interface: false stops the parser.
class ChromeEvents {
public:
    explicit ChromeEvents(TraceSlices& slices) : slices_(slices) {}

    bool null() { return true; }
    bool boolean(bool value) { return scalar({.text = value ? "true" : "false", .isTrue = value}); }
    bool number_integer(std::int64_t value) { return scalar({.text = digits(value)}); }
    bool number_unsigned(std::uint64_t value) { return scalar({.text = digits(value)}); }
    bool number_float(double, const std::string& text) { return scalar({.text = text}); }
    bool string(std::string& value) { return scalar({.text = value}); }
    bool binary(std::vector<std::uint8_t>&) { return true; }
    bool key(std::string& value) {
        key_.assign(value, 0, TraceNames::kLongest);
        return true;
    }

    bool start_object(std::size_t) {
        const Place in = place();
        Place next = Place::Elsewhere;
        if (in == Place::Nowhere) next = Place::Root;
        if (in == Place::Events) next = Place::Event;
        if (in == Place::Event && key_ == "args") next = Place::Arguments;
        if (in == Place::Root && key_ == "otherData") next = Place::Ours;
        if (in == Place::Root && key_ == "distributedInfo") next = Place::Distributed;
        if (next == Place::Event) event_ = {};
        if (next == Place::Distributed) slices_.origin.pytorch = true;
        return enter(next);
    }
    bool start_array(std::size_t) {
        const Place in = place();
        const bool events = in == Place::Nowhere || (in == Place::Root && key_ == "traceEvents");
        return enter(events ? Place::Events : Place::Elsewhere);
    }
    bool end_object() {
        if (place() == Place::Event) finishEvent();
        places_.pop_back();
        return true;
    }
    bool end_array() {
        places_.pop_back();
        return true;
    }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) {
        const bool cutOff = std::string_view(error.what()).find("unexpected end of input") != std::string_view::npos ||
                            std::string_view(error.what()).find("missing closing quote") != std::string_view::npos;
        slices_.stoppedAt =
            (cutOff ? "it is cut off at byte " : "it is no JSON from byte ") + std::to_string(position) + " on";
        return false;
    }

private:
    enum class Place : std::uint8_t { Nowhere, Root, Events, Event, Arguments, Ours, Distributed, Elsewhere };
    [[nodiscard]] Place place() const { return places_.empty() ? Place::Nowhere : places_.back(); }
    bool enter(Place place) {
        places_.push_back(place);
        if (places_.size() <= kDeepest) return true;
        slices_.stoppedAt = "its objects lie more than " + std::to_string(kDeepest) + " deep in each other";
        return false;
    }

    template <class Number>
    std::string_view digits(Number value) {
        const auto end = std::to_chars(digits_.data(), digits_.data() + digits_.size(), value).ptr;
        return {digits_.data(), static_cast<std::size_t>(end - digits_.data())};
    }

    bool scalar(const Scalar& value) {
        switch (place()) {
            case Place::Event: eventField(value); break;
            case Place::Arguments: argument(value); break;
            case Place::Root: rootField(value); break;
            case Place::Ours: ownField(value); break;
            case Place::Distributed:
                if (key_ == "rank") slices_.origin.rank = value.integer();
                if (key_ == "world_size") slices_.origin.ranks = value.integer();
                break;
            default: break;
        }
        return true;
    }

    void eventField(const Scalar& value) {
        const std::string_view text = value.text.substr(0, TraceNames::kLongest);
        if (key_ == "ph") event_.phase = text;
        if (key_ == "name") event_.name = text;
        if (key_ == "cat") event_.category = text;
        if (key_ == "pid") event_.process = text;
        if (key_ == "tid") event_.thread = text;
        if (key_ == "ts") event_.at = nanosecondsOf(value.text);
        if (key_ == "dur") event_.length = nanosecondsOf(value.text);
    }
    void argument(const Scalar& value) {
        if (key_ == "name") event_.metaName = value.text;
        if (key_ == "step") event_.step = value.integer().value_or(-1);
        if (key_ == "bytes") event_.bytes = std::max<std::int64_t>(0, value.integer().value_or(0));
        if (key_ == "collective") {
            event_.collective = static_cast<std::uint64_t>(std::max<std::int64_t>(0, value.integer().value_or(0)));
        }
        if (key_ == "In msg nelems") event_.elements = value.integer().value_or(0);
        if (key_ == "dtype") event_.elementType = value.text;
    }
    void rootField(const Scalar& value) {
        if (key_ == "baseTimeNanoseconds") slices_.origin.base = value.integer();
        if (key_ == "schemaVersion" || key_ == "traceName") slices_.origin.pytorch = true;
    }
    void ownField(const Scalar& value) {
        if (key_ == "run") slices_.origin.run = value.text;
        if (key_ == "experiment") slices_.origin.experiment = value.text;
        if (key_ == "algorithm") slices_.origin.algorithm = value.text;
        if (key_ == "simulated") slices_.origin.simulated = value.isTrue;
    }

    void finishEvent() {
        if (event_.phase == "M") {
            if (event_.name == "process_name") slices_.nameProcess(event_.process, event_.metaName);
            if (event_.name == "thread_name") slices_.nameThread(event_.process, event_.thread, event_.metaName);
            return;
        }
        if (event_.category == "cpu_op" || event_.category == "kernel") slices_.origin.pytorch = true;
        const std::int64_t size = sizeOf(event_.elementType);
        const bool counted = event_.elements > 0 && event_.elements < kMost / 8;
        slices_.take({.phase = phaseOf(event_.phase),
                      .name = event_.name,
                      .category = event_.category,
                      .process = event_.process,
                      .thread = event_.thread,
                      .at = event_.at,
                      .length = event_.length,
                      .step = event_.step,
                      .bytes = counted && size > 0 ? event_.elements * size : event_.bytes,
                      .collective = event_.collective});
    }

    TraceSlices& slices_;
    std::vector<Place> places_;
    std::string key_;
    EventFields event_;
    std::array<char, 32> digits_{};
};

// Rounds to the nearest; for numbers with an exponent, which no profiler writes.
std::optional<Ns> fromDouble(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (!std::isfinite(value) || std::abs(value) > 9e15) return std::nullopt;
    return static_cast<Ns>(std::llround(value * 1000));
}

}  // namespace

std::optional<Ns> nanosecondsOf(std::string_view micros) {
    const std::string_view whole = micros;
    const bool negative = micros.starts_with('-');
    if (negative) micros.remove_prefix(1);
    const std::size_t point = micros.find_first_not_of("0123456789");
    const bool fraction = point != std::string_view::npos && micros[point] == '.';
    if (micros.empty() || (point != std::string_view::npos && !fraction)) return fromDouble(whole);
    Ns value = 0;
    for (const char digit : micros.substr(0, point)) {
        if (value > (kMost - 9) / 10) return std::nullopt;
        value = value * 10 + (digit - '0');
    }
    if (value > kMost / 1000 - 1) return std::nullopt;
    value *= 1000;
    if (fraction) {
        Ns scale = 1000;
        std::size_t place = point + 1;
        for (; place < micros.size() && micros[place] >= '0' && micros[place] <= '9'; ++place) {
            scale /= 10;
            value += (micros[place] - '0') * scale;
        }
        if (place != micros.size()) return fromDouble(whole);
        if (point + 4 < micros.size() && micros[point + 4] >= '5') ++value;
    }
    return negative ? -value : value;
}

void readChromeTrace(std::istream& bytes, TraceSlices& slices) {
    ChromeEvents events(slices);
    nlohmann::json::sax_parse(bytes, &events, nlohmann::json::input_format_t::json, false);
}

}  // namespace dasgd::experiments
