#include "experiments/tools/traces/import/chrome_reader.h"

#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace dasgd::experiments {

namespace {

constexpr Ns kMost = std::numeric_limits<Ns>::max();
constexpr std::size_t kDeepest = 1000;  // objects and arrays in each other
constexpr Ns kLargestElement = 16;      // bytes

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

// Bytes of an element by c10's name of its type, or Python's; types that are packed have one name for a whole byte.
// nullopt: another name.
std::optional<std::int64_t> sizeOf(std::string_view elementType) {
    constexpr std::array<std::pair<std::string_view, int>, 50> kSizes{{{"Float", 4},
                                                                       {"Double", 8},
                                                                       {"Half", 2},
                                                                       {"BFloat16", 2},
                                                                       {"Byte", 1},
                                                                       {"Char", 1},
                                                                       {"Short", 2},
                                                                       {"Int", 4},
                                                                       {"Long", 8},
                                                                       {"Bool", 1},
                                                                       {"UInt16", 2},
                                                                       {"UInt32", 4},
                                                                       {"UInt64", 8},
                                                                       {"ComplexHalf", 4},
                                                                       {"ComplexFloat", 8},
                                                                       {"ComplexDouble", 16},
                                                                       {"Float8_e5m2", 1},
                                                                       {"Float8_e4m3fn", 1},
                                                                       {"Float8_e5m2fnuz", 1},
                                                                       {"Float8_e4m3fnuz", 1},
                                                                       {"Float8_e8m0fnu", 1},
                                                                       {"Float4_e2m1fn_x2", 1},
                                                                       {"QInt8", 1},
                                                                       {"QUInt8", 1},
                                                                       {"QInt32", 4},
                                                                       {"QUInt4x2", 1},
                                                                       {"QUInt2x4", 1},
                                                                       {"Bits1x8", 1},
                                                                       {"Bits2x4", 1},
                                                                       {"Bits4x2", 1},
                                                                       {"Bits8", 1},
                                                                       {"Bits16", 2},
                                                                       {"float", 4},
                                                                       {"double", 8},
                                                                       {"half", 2},
                                                                       {"bfloat16", 2},
                                                                       {"float16", 2},
                                                                       {"float32", 4},
                                                                       {"float64", 8},
                                                                       {"int8", 1},
                                                                       {"uint8", 1},
                                                                       {"int16", 2},
                                                                       {"int32", 4},
                                                                       {"int64", 8},
                                                                       {"bool", 1},
                                                                       {"complex32", 4},
                                                                       {"complex64", 8},
                                                                       {"complex128", 16},
                                                                       {"int", 4},
                                                                       {"long", 8}}};
    for (const std::string_view space : {"torch.", "c10::"}) {
        if (elementType.starts_with(space)) elementType.remove_prefix(space.size());
    }
    for (const auto& [name, size] : kSizes) {
        if (name == elementType) return size;
    }
    // Integers of less than 8 bits take a byte.
    if (elementType.size() == 4 && elementType.starts_with("Int") && elementType[3] < '8') return 1;
    if (elementType.size() == 5 && elementType.starts_with("UInt") && elementType[4] < '8') return 1;
    return std::nullopt;
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

// Takes the values of a document one after the other. nlohmann's SAX interface: false stops the parser.
class ChromeEvents {
public:
    explicit ChromeEvents(TraceSlices& slices) : slices_(slices) {}

    // The value that comes is an element of the list of events. `sure`: it is an event whatever it holds.
    void beginElement(bool sure) {
        places_ = {Place::Events};
        hasPhase_ = false;
        sure_ = sure;
    }
    // The value that comes is that of a key of the document.
    void beginMember(std::string key) {
        places_ = {Place::Root};
        key_ = std::move(key);
    }
    [[nodiscard]] bool hasPhase() const { return hasPhase_; }  // of the element

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
        if (in == Place::Events) next = Place::Event;
        if (in == Place::Event && key_ == "args") next = Place::Arguments;
        if (in == Place::Root && key_ == "otherData") next = Place::Ours;
        if (in == Place::Root && key_ == "distributedInfo") next = Place::Distributed;
        if (next == Place::Event) event_ = {};
        if (next == Place::Distributed) slices_.origin.pytorch = true;
        return enter(next);
    }
    bool start_array(std::size_t) { return enter(Place::Elsewhere); }
    bool end_object() {
        if (place() == Place::Event && (sure_ || hasPhase_)) finishEvent();
        places_.pop_back();
        return true;
    }
    bool end_array() {
        places_.pop_back();
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) { return false; }

private:
    enum class Place : std::uint8_t { Root, Events, Event, Arguments, Ours, Distributed, Elsewhere };
    [[nodiscard]] Place place() const { return places_.back(); }
    bool enter(Place place) {
        places_.push_back(place);
        return places_.size() <= kDeepest;
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
        if (key_ == "ph") event_.phase = text, hasPhase_ = true;
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
        if (key_ == "steps") slices_.origin.steps = value.integer();
        if (key_ == "simulated") slices_.origin.simulated = value.isTrue;
    }

    void finishEvent() {
        if (event_.phase == "M") {
            if (event_.name == "process_name") slices_.nameProcess(event_.process, event_.metaName);
            if (event_.name == "thread_name") slices_.nameThread(event_.process, event_.thread, event_.metaName);
            return;
        }
        if (event_.category == "cpu_op" || event_.category == "kernel") slices_.origin.pytorch = true;
        const bool counted = event_.elements > 0 && event_.elements < kMost / kLargestElement;
        const auto size = sizeOf(event_.elementType);
        if (counted && !size) ++slices_.remarks["messages without their bytes, as their type of element is not known"];
        slices_.take({.phase = phaseOf(event_.phase),
                      .name = event_.name,
                      .category = event_.category,
                      .process = event_.process,
                      .thread = event_.thread,
                      .at = event_.at,
                      .length = event_.length,
                      .step = event_.step,
                      .bytes = counted && size ? event_.elements * *size : event_.bytes,
                      .collective = event_.collective});
    }

    TraceSlices& slices_;
    std::vector<Place> places_;
    std::string key_;
    EventFields event_;
    std::array<char, 32> digits_{};
    bool hasPhase_ = false, sure_ = true;
};

// Reads the document from its first byte to its last: what is between the events itself, each value by the library. So
// an event with a token that is no JSON costs that event and not all that follow.
class ChromeDocument {
public:
    ChromeDocument(std::streambuf& bytes, TraceSlices& slices) : bytes_(bytes), slices_(slices), events_(slices) {}

    void read() {
        const int first = next();
        if (first == '[') {
            readEvents();
        } else if (first == '{') {
            readMembers();
        } else {
            stop("it is no JSON");
        }
    }

private:
    static constexpr int kEnd = std::char_traits<char>::eof();
    static bool isBlank(int byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

    // The first byte that is neither blank nor in `others`; it stays to be read.
    int next(std::string_view others = "") {
        int byte = bytes_.sgetc();
        while (byte != kEnd && (isBlank(byte) || others.find(static_cast<char>(byte)) != std::string_view::npos)) {
            byte = bytes_.snextc();
        }
        return byte;
    }

    // False: it is no JSON up to where the next byte is, or the file ends in it.
    bool readValue() {
        // The library reads one byte past a number.
        if (const int first = bytes_.sgetc(); first == '-' || (first >= '0' && first <= '9')) {
            std::string number;
            for (int byte = first; byte != kEnd && !isBlank(byte) && byte != ',' && byte != ']' && byte != '}';
                 byte = bytes_.snextc()) {
                if (number.size() < TraceNames::kLongest) number += static_cast<char>(byte);
            }
            return nlohmann::json::sax_parse(number, &events_);
        }
        return nlohmann::json::sax_parse(std::istreambuf_iterator<char>(&bytes_), std::istreambuf_iterator<char>(),
                                         &events_, nlohmann::json::input_format_t::json, false);
    }

    void readMembers() {
        bytes_.sbumpc();
        for (;;) {
            const int first = next(",");
            if (first == '}') return void(bytes_.sbumpc());
            if (first == kEnd) return stop(kCutOff);
            const auto key = first == '"' ? readKey() : std::nullopt;
            if (key && next() == ':') {
                bytes_.sbumpc();
                if (next() == '[' && *key == "traceEvents") {
                    if (!readEvents()) return;
                    continue;
                }
                events_.beginMember(*key);
                if (readValue()) continue;
            }
            if (bytes_.sgetc() == kEnd) return stop(kCutOff);
            ++slices_.dropped["members of the head that are no JSON"];
            ++slices_.unreadable;
            if (!findEvents()) return stop("it is no JSON");
            if (!readEvents()) return;
        }
    }

    std::optional<std::string> readKey() {
        std::string key;
        bool escaped = false;
        for (int byte = bytes_.snextc(); byte != kEnd; byte = bytes_.snextc()) {
            if (byte == '"' && !escaped) return bytes_.sbumpc(), key;
            escaped = byte == '\\' && !escaped;
            if (key.size() < TraceNames::kLongest) key += static_cast<char>(byte);
        }
        return std::nullopt;
    }

    // After a head that is no JSON.
    bool findEvents() {
        constexpr std::string_view kKey = "\"traceEvents\"";
        std::size_t same = 0;
        for (int byte = bytes_.sgetc(); byte != kEnd;) {
            same = byte == kKey[same] ? same + 1 : (byte == '"' ? 1 : 0);
            byte = bytes_.snextc();
            if (same < kKey.size()) continue;
            if (next(":") == '[') return true;
            same = 0;
            byte = bytes_.sgetc();
        }
        return false;
    }

    // False: the file ends in it.
    bool readEvents() {
        bytes_.sbumpc();
        for (;;) {
            const int first = next(",");
            if (first == ']') return bytes_.sbumpc(), true;
            if (first == kEnd) return stop(kCutOff), false;
            events_.beginElement(true);
            if (readValue()) continue;
            if (bytes_.sgetc() == kEnd) return stop(kCutOff), false;
            stepOver();
            if (first != '{') {
                for (int byte = bytes_.sgetc(); byte != kEnd && byte != ',' && byte != '{' && byte != ']';) {
                    byte = bytes_.snextc();
                }
            } else if (!findEvent()) {
                return false;
            }
        }
    }

    void stepOver() {
        ++slices_.dropped["events that are no JSON"];
        ++slices_.unreadable;
    }

    // Finds the next event behind a token that is no JSON, and reads it. An event begins where an object has ended and
    // another one begins, whatever quotation marks lie before that; objects inside of a damaged event have no phase.
    bool findEvent() {
        int before = '}';  // the newest byte that is neither blank nor comma; the token may have been an end
        for (int byte = bytes_.sgetc(); byte != kEnd; byte = bytes_.sgetc()) {
            if (byte == '{' && before == '}') {
                events_.beginElement(false);
                const bool whole = readValue();
                if (whole && events_.hasPhase()) return true;
                if (!whole && bytes_.sgetc() != kEnd) stepOver();
                before = whole || bytes_.sgetc() != kEnd ? '}' : ' ';
                continue;
            }
            if (!isBlank(byte) && byte != ',') before = byte;
            bytes_.sbumpc();
        }
        if (before != '}' && before != ']') stop(kCutOff);
        return false;
    }

    void stop(const char* why) {
        const auto at = static_cast<std::int64_t>(bytes_.pubseekoff(0, std::ios_base::cur, std::ios_base::in));
        slices_.stoppedAt = std::string(why) + " at byte " + std::to_string(at);
    }

    static constexpr const char* kCutOff = "it is cut off";
    std::streambuf& bytes_;
    TraceSlices& slices_;
    ChromeEvents events_;
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
    slices.ties = TraceSlices::Ties::EndsFirst;
    ChromeDocument(*bytes.rdbuf(), slices).read();
}

}  // namespace dasgd::experiments
