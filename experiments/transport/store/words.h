// The words that the ranks of a run leave for each other before they can communicate: what c10d's TCPStore keeps, for a
// CurveServer of rank 0 in front of it.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "experiments/transport/curve/curve_socket.h"

namespace dasgd::experiments {

// One thread.
class Words {
public:
    // A request is one of these operations, of one character, with its operands: a key and its value (kSet), a key
    // (kGet, kDelete), a key and a number (kAdd), a key with the expected and the wanted value (kCompareSet), keys
    // (kHas), none (kCount).
    static constexpr char kSet = 'S', kGet = 'G', kAdd = 'A', kCompareSet = 'C', kDelete = 'D', kHas = 'H',
                          kCount = 'N';

    // kYes with the value, kNo, or kRefused. Long answers belong to kGet, kSet and kCompareSet: to carry these out
    // again changes nothing except values that others wrote meanwhile.
    [[nodiscard]] Parts answer(const Parts& request);

private:
    [[nodiscard]] bool hasAll(const Parts& request) const;
    [[nodiscard]] Parts get(const std::string& key) const;
    bool remove(const std::string& key);
    Parts set(const std::string& key, const std::string& value);
    Parts add(const std::string& key, const std::string& by);
    Parts compareSet(const std::string& key, const std::string& expected, const std::string& wanted);

    std::map<std::string, std::string> words_;
    std::size_t bytes_ = 0;
};

}  // namespace dasgd::experiments
