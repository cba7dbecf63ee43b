#include "experiments/transport/store/words.h"

#include <algorithm>
#include <cstdint>

#include "experiments/base/text.h"
#include "experiments/transport/curve/curve_server.h"

namespace dasgd::experiments {

namespace {

// Limit for all values together: addresses of ranks and a few words of each take kilobytes a rank.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

}  // namespace

Parts Words::answer(const Parts& request) {
    const char operation = request.front().size() == 1 ? request.front().front() : '?';
    const std::size_t operands = request.size() - 1;
    if (operation == kCount && operands == 0) return answerOf(kYes, std::to_string(words_.size()));
    if (operation == kHas) return answerOf(hasAll(request) ? kYes : kNo);
    if (operation == kGet && operands == 1) return get(request[1]);
    if (operation == kDelete && operands == 1) return answerOf(remove(request[1]) ? kYes : kNo);
    if (operation == kSet && operands == 2) return set(request[1], request[2]);
    if (operation == kAdd && operands == 2) return add(request[1], request[2]);
    if (operation == kCompareSet && operands == 3) return compareSet(request[1], request[2], request[3]);
    return answerOf(kRefused, "no such request");
}

bool Words::hasAll(const Parts& request) const {
    return std::all_of(request.begin() + 1, request.end(), [this](const auto& key) { return words_.contains(key); });
}

Parts Words::get(const std::string& key) const {
    const auto found = words_.find(key);
    return found == words_.end() ? answerOf(kNo) : answerOf(kYes, found->second);
}

bool Words::remove(const std::string& key) {
    const auto found = words_.find(key);
    if (found == words_.end()) return false;
    bytes_ -= key.size() + found->second.size();
    words_.erase(found);
    return true;
}

Parts Words::set(const std::string& key, const std::string& value) {
    remove(key);
    if (bytes_ + key.size() + value.size() > kMostBytes) return answerOf(kRefused, "the store is full");
    bytes_ += key.size() + value.size();
    words_.emplace(key, value);
    return answerOf(kYes, value);
}

Parts Words::add(const std::string& key, const std::string& by) {
    const auto found = words_.find(key);
    const auto before = found == words_.end() ? 0 : decimalOf(found->second);
    const auto more = decimalOf(by);
    if (!before || !more) return answerOf(kRefused, "'" + key + "' holds no number to add to");
    return set(key, std::to_string(static_cast<std::int64_t>(static_cast<std::uint64_t>(*before) +
                                                             static_cast<std::uint64_t>(*more))));
}

// Follows c10d: the answer for a missing key is the expected value, unless that is empty.
Parts Words::compareSet(const std::string& key, const std::string& expected, const std::string& wanted) {
    const auto found = words_.find(key);
    if (found == words_.end()) return expected.empty() ? set(key, wanted) : answerOf(kYes, expected);
    return found->second == expected ? set(key, wanted) : answerOf(kYes, found->second);
}

}  // namespace dasgd::experiments
