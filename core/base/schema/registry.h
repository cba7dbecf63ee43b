// Plug-ins by name. One file per plug-in, registered by its last line:
//
//   const Registry<Algorithm>::Add<Dasgd, DasgdParams> kAdd{"dasgd", "Local SGD with delayed averaging", "arXiv
//   2006.00441"};
//
// Dasgd is constructed from `const DasgdParams&`. Registration runs before main; afterwards the registry is read-only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/schema/fields.h"

namespace dasgd {

struct NoParams {
    void visit(auto&&) {}
};

// Declarations that every plug-in of a kind adds to its fields: the kind's `Traits`; NoTraits where it has none.
struct NoTraits {};
namespace detail {
template <class T>
struct TraitsOf {
    using Type = NoTraits;
};
template <class T>
requires requires { typename T::Traits; }
struct TraitsOf<T> {
    using Type = typename T::Traits;
};
}  // namespace detail
template <class T>
using PluginTraits = typename detail::TraitsOf<T>::Type;

template <class T>
class Registry {
public:
    struct Entry {
        std::string name;
        std::string summary;    // one line
        std::string reference;  // paper or library, "" where none
        std::vector<FieldInfo> fields;
        PluginTraits<T> traits;
        // create() reads the plug-in's own fields from `table`; keys in `alsoKnown` belong to someone else. resolve()
        // returns the table with every field written out.
        std::function<Result<std::unique_ptr<T>>(const Value& table, const std::vector<std::string>& alsoKnown)> create;
        std::function<Result<Value>(const Value& table, const std::vector<std::string>& alsoKnown)> resolve;
    };

    [[nodiscard]] static const std::map<std::string, Entry, std::less<>>& entries() { return mutableEntries(); }

    // Null where no plug-in has that name.
    [[nodiscard]] static const Entry* find(std::string_view name) {
        const auto it = entries().find(name);
        return it == entries().end() ? nullptr : &it->second;
    }
    [[nodiscard]] static std::vector<std::string> names() {
        std::vector<std::string> all;
        for (const auto& [name, entry] : entries()) all.push_back(name);
        return all;
    }

    template <class Plugin, class Params = NoParams>
    struct Add {
        Add(const char* name, const char* summary, const char* reference = "", PluginTraits<T> traits = {}) {
            Entry entry{
                name,
                summary,
                reference,
                describeFields<Params>(),
                std::move(traits),
                [](const Value& table, const std::vector<std::string>& alsoKnown) -> Result<std::unique_ptr<T>> {
                    Params params{};
                    DASGD_TRY(readFields(table, params, alsoKnown));
                    return std::make_unique<Plugin>(params);
                },
                [](const Value& table, const std::vector<std::string>& alsoKnown) -> Result<Value> {
                    Params params{};
                    DASGD_TRY(readFields(table, params, alsoKnown));
                    return writeFields(params);
                }};
            const bool fresh = mutableEntries().emplace(name, std::move(entry)).second;
            DASGD_CHECK(fresh && "two plug-ins with one name");
        }
    };

private:
    static std::map<std::string, Entry, std::less<>>& mutableEntries() {
        static std::map<std::string, Entry, std::less<>> map;
        return map;
    }
};

}  // namespace dasgd
