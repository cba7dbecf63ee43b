// Tests over the registry of graphs hold each to what gossip needs, with these settings. The test of a graph registers
// its own:
//
//   const GraphTrial::Add kTorusTrial{{.graph = "torus", .sizes = {1, 2, 4, 9}}};
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/graphs/graph.h"
#include "tests/support/document.h"

namespace dasgd::test {

struct GraphTrial {
    std::string graph;
    Fields fields = {};
    std::vector<int> sizes = {1, 2, 3, 4, 7, 8};  // that it can have
    std::string what = {};                        // tells further trials of one graph apart

    [[nodiscard]] std::string name() const {
        std::string text = what.empty() ? graph : graph + "_" + what;
        for (char& letter : text) letter = letter == '-' ? '_' : letter;
        return text;
    }
    [[nodiscard]] std::unique_ptr<Graph> make() const {
        return GraphRegistry::find(graph)->create(table(fields), {}).value();
    }
    struct Add {
        explicit Add(GraphTrial trial) { list().push_back(std::move(trial)); }
    };
    static std::vector<GraphTrial>& list() {
        static std::vector<GraphTrial> all;
        return all;
    }
};
inline std::ostream& operator<<(std::ostream& to, const GraphTrial& trial) { return to << trial.name(); }

inline std::unique_ptr<Graph> graphOf(const std::string& name, const Fields& fields = {}) {
    return GraphTrial{.graph = name, .fields = fields}.make();
}

using Rows = std::vector<std::vector<double>>;

// W of round 0 of a graph.
inline Rows rowsOf(const std::string& name, int size, const Fields& fields = {}, std::int64_t round = 0) {
    return matrixOf(*graphOf(name, fields), {.number = round, .size = size, .seed = 7});
}

}  // namespace dasgd::test
