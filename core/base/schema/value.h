// A configuration tree with the source position of each value. Independent of the TOML library: readers of TOML, of the
// command line and of the form all build one of these.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

struct SourcePosition {
    std::shared_ptr<const std::string> source;  // a path, or "--set"; null: built in
    int line = 0;                               // from 1; 0 where the source has no lines
    int column = 0;

    // Beginning of a message: "file.toml:7:9: ", "--set: " or "".
    [[nodiscard]] std::string prefix() const;
};

class Value {
public:
    using Array = std::vector<Value>;
    using Table = std::vector<std::pair<std::string, Value>>;  // in source order, keys unique
    using Data = std::variant<bool, std::int64_t, double, std::string, Array, Table>;

    Value() : data_(Table{}) {}
    Value(Data data, SourcePosition position = {}) : data_(std::move(data)), position_(std::move(position)) {}

    template <class T>
    [[nodiscard]] const T* as() const {
        return std::get_if<T>(&data_);
    }
    template <class T>
    [[nodiscard]] T* as() {
        return std::get_if<T>(&data_);
    }
    [[nodiscard]] bool isTable() const { return as<Table>() != nullptr; }
    [[nodiscard]] const Data& data() const { return data_; }
    [[nodiscard]] const SourcePosition& position() const { return position_; }
    void setPosition(SourcePosition position) { position_ = std::move(position); }
    // Position of the key that names this value; the value's own position where it has no key.
    [[nodiscard]] const SourcePosition& keyPosition() const { return keyPosition_.source ? keyPosition_ : position_; }
    void setKeyPosition(SourcePosition position) { keyPosition_ = std::move(position); }

    // Child of a table by key, or null. CHECKs that this is a table.
    [[nodiscard]] const Value* find(std::string_view key) const;
    [[nodiscard]] Value* find(std::string_view key);
    // Sets a child, replacing or appending.
    void set(std::string_view key, Value value);
    bool erase(std::string_view key);

    // TOML's name of the type: "integer", "string", ….
    [[nodiscard]] std::string_view typeName() const;
    // One line of TOML for a scalar, array or inline table.
    [[nodiscard]] std::string toToml() const;

    [[nodiscard]] tl::unexpected<Error> error(const std::string& message) const {
        return fail(position_.prefix() + message);
    }

private:
    Data data_;
    SourcePosition position_;
    SourcePosition keyPosition_;
};

// The whole document as TOML: scalars first, then [tables].
[[nodiscard]] std::string toTomlDocument(const Value& root);

}  // namespace dasgd
