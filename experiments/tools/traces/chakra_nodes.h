// A rank's spans as the nodes of an MLCommons Chakra execution trace: work, collectives, and what each must wait for.
// Pure. Numbers of fields and kinds are those of schema/protobuf/et_def.proto (github.com/mlcommons/chakra).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "core/base/result.h"

namespace dasgd::experiments {

namespace chakra {
// Fields of GlobalMetadata, Node and AttributeProto, and the kinds of nodes that are written.
inline constexpr std::uint32_t kMetadataVersion = 1, kMetadataAttribute = 2;
inline constexpr std::uint32_t kNodeId = 1, kNodeName = 2, kNodeType = 3, kNodeDataDependencies = 5, kNodeStart = 6,
                               kNodeDuration = 7, kNodeAttribute = 10;
inline constexpr std::uint32_t kAttributeName = 1, kAttributeInt64 = 9, kAttributeBool = 27, kAttributeString = 29;
inline constexpr std::uint64_t kComputeNode = 4, kCollectiveNode = 7;
inline constexpr std::uint64_t kAllReduce = 0;
}  // namespace chakra

struct ChakraNode {
    std::uint64_t id = 0;  // from 1, in an order in which every dependency comes before what depends on it
    std::string name;      // "forward 12", "all_reduce 3", "idle"
    bool isCollective = false;
    SpanKind kind = SpanKind::Other;  // of work; Other of idle time too
    std::vector<std::uint64_t> dependencies;
    Ns start = 0;                  // on the run's time line
    std::uint64_t durationUs = 1;  // the format's unit: no node is shorter
    std::int64_t step = 0;
    std::int64_t bytes = 0;        // of a collective
    std::uint64_t collective = 0;  // the number that its parts on all ranks have in common
};

// Nodes of one rank from `begin` on, the first instant of any rank:
//  - Work on the compute lane is a chain. Where a span holds another one, or a collective leaves within it, it becomes
//    several nodes. Time that no span explains is a node "idle", so that the chain has no gap.
//  - A collective depends on the node at whose end it left.
//  - A wait is no node: what follows it depends on the collective, and so does a merge on that which it merges.
//  - A collective that had ended when it was asked for leaves neither. One that left before the update of its step has
//    gradients, and the update depends on it; on any other, what comes `delay` steps after its own step. One that no
//    step of the record comes after was dropped at the end.
// The nodes of a collective last from the last arrival to its end, which a simulator computes itself.
// Errors: waits and operations that belong to no collective, as of single messages, of which no span tells the partner;
// a collective that moves no bytes, or of which the rank's part is not recorded.
[[nodiscard]] Result<std::vector<ChakraNode>> chakraNodesOf(std::span<const Span> spans, Ns begin, std::int64_t delay);

}  // namespace dasgd::experiments
