// The smallest documents that are experiments, for tests to add to.
#pragma once

#include <string>

#include "tests/support/document.h"

namespace dasgd::test {

inline Value named(const std::string& name) { return table({{"name", text(name)}}); }

// The least a user may write.
inline Value minimal() { return table({{"algorithm", named("independent")}, {"model", named("lenet")}}); }

inline Value quadratic() {
    return table({{"algorithm", named("independent")},
                  {"model", table({{"name", text("quadratic")},
                                   {"matrix", matrix({{1, 0}, {0, 2}})},
                                   {"targets", matrix({{1, 1}, {-1, 0}})}})},
                  {"train", table({{"steps", integer(50)}})}});
}

// Section `name` of the document; made where it is absent.
inline Value& section(Value& document, const std::string& name) {
    if (!document.find(name)) document.set(name, Value());
    return *document.find(name);
}

}  // namespace dasgd::test
