#include "experiments/tools/report/chakra_export.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/analysis/spans/timings.h"
#include "experiments/tools/traces/chakra_nodes.h"
#include "experiments/tools/traces/protobuf.h"
#include "experiments/tools/traces/trace_writer.h"

namespace dasgd::experiments {

namespace {

// The generator of the Chakra repository writes this version.
constexpr const char* kSchemaVersion = "0.0.4";
constexpr std::int64_t kMostSpansOfTrace = 4'000'000;
tl::unexpected<Error> noTrace(const storage::RunRow& run, const std::string& why) {
    return fail("run " + run.runId + " cannot become a Chakra trace: " + why);
}

Result<std::map<int, std::vector<Span>>> spansByRank(storage::SpanReader& reader, const storage::RunRow& run) {
    DASGD_ASSIGN(const std::int64_t count, reader.count(run.runId));
    if (count > kMostSpansOfTrace) {
        return noTrace(run, "it has " + std::to_string(count) + " spans, and at most " +
                                std::to_string(kMostSpansOfTrace) + " are read; make a shorter run");
    }
    std::map<int, std::vector<Span>> ranks;
    std::int64_t partial = 0;
    DASGD_TRY(reader.each(run.runId, [&](const storage::SpanRow& row) {
        ranks[row.rank].push_back(row.span);
        const bool isPartial = isReduce(row.span.kind) && row.span.ranks != 0 && row.span.ranks != run.workers;
        if (isPartial) partial = row.span.ranks;
        return !isPartial;
    }));
    if (partial > 0) {
        return noTrace(run, "a collective is of " + std::to_string(partial) + " of its " + std::to_string(run.workers) +
                                " ranks, and the record does not tell which");
    }
    if (ranks.empty()) return noTrace(run, "it recorded no spans; set trace = \"full\" in [record]");
    return ranks;
}

// True if a collective of the first `steps` steps of a rank ended behind the update of its step, for which its
// gradients had been awaited.
bool broadcasts(const std::vector<Span>& spans, std::int64_t steps) {
    std::map<std::int64_t, Ns> updated;
    for (const Span& span : spans) {
        if (span.kind != SpanKind::Update || span.step > steps) continue;
        updated[span.step] = std::max(updated[span.step], span.end);
    }
    return std::ranges::any_of(spans, [&](const Span& span) {
        const auto update = isReduce(span.kind) ? updated.find(span.step) : updated.end();
        return update != updated.end() && span.end > update->second;
    });
}

ProtoWriter attribute(const char* name, std::uint32_t field, std::uint64_t value) {
    ProtoWriter writer;
    writer.text(chakra::kAttributeName, name).number(field, value);
    return writer;
}

ProtoWriter metadataOf(const storage::RunRow& run, int rank) {
    ProtoWriter metadata;
    metadata.text(chakra::kMetadataVersion, kSchemaVersion);
    const std::vector<std::pair<const char*, std::string>> texts{
        {"run", run.runId}, {"experiment", run.experiment}, {"algorithm", run.algorithm}};
    for (const auto& [name, value] : texts) {
        ProtoWriter one;
        one.text(chakra::kAttributeName, name).text(chakra::kAttributeString, value);
        metadata.message(chakra::kMetadataAttribute, one);
    }
    const auto number = [&](const char* name, std::uint64_t value) {
        metadata.message(chakra::kMetadataAttribute, attribute(name, chakra::kAttributeInt64, value));
    };
    number("rank", static_cast<std::uint64_t>(rank));
    number("ranks", static_cast<std::uint64_t>(run.workers));
    metadata.message(chakra::kMetadataAttribute, attribute("simulated", chakra::kAttributeBool, run.timeSimulated));
    return metadata;
}

ProtoWriter messageOf(const ChakraNode& node, Ns begin) {
    ProtoWriter message;
    message.number(chakra::kNodeId, node.id).text(chakra::kNodeName, node.name);
    message.number(chakra::kNodeType, node.isCollective ? chakra::kCollectiveNode : chakra::kComputeNode);
    // Simulators follow data dependencies alone. Not packed, which readers of proto3 take as well.
    for (const std::uint64_t id : node.dependencies) message.number(chakra::kNodeDataDependencies, id);
    message.number(chakra::kNodeStart, static_cast<std::uint64_t>(std::max<Ns>(0, node.start - begin) / 1000));
    message.number(chakra::kNodeDuration, node.durationUs);
    const auto add = [&](const char* name, std::uint32_t field, std::uint64_t value) {
        message.message(chakra::kNodeAttribute, attribute(name, field, value));
    };
    // The feeder takes what does not say so for work of the processor, beside which a GPU's goes on.
    add("is_cpu_op", chakra::kAttributeBool, 0);
    add("step", chakra::kAttributeInt64, static_cast<std::uint64_t>(node.step));
    if (!node.isCollective) return message;
    add("comm_type", chakra::kAttributeInt64, chakra::kAllReduce);
    add("comm_size", chakra::kAttributeInt64, static_cast<std::uint64_t>(node.bytes));
    add("collective", chakra::kAttributeInt64, node.collective);
    return message;
}

Status writeRank(const std::filesystem::path& file, const storage::RunRow& run, int rank,
                 const std::vector<ChakraNode>& nodes, Ns begin) {
    DASGD_ASSIGN(TraceFile out, TraceFile::open(file));
    out.write(ProtoWriter().inStream(metadataOf(run, rank)).bytes());
    for (const ChakraNode& node : nodes) out.write(ProtoWriter().inStream(messageOf(node, begin)).bytes());
    return out.close();
}

}  // namespace

Result<ChakraExport> exportChakra(storage::SpanReader& reader, const storage::RunRow& run, const AllReduces& reduces,
                                  const std::filesystem::path& folder, bool replace) {
    if (run.imported()) return noTrace(run, "its spans come from a trace of another program");
    DASGD_ASSIGN(const auto ranks, spansByRank(reader, run));
    DASGD_ASSIGN(const auto extent, reader.extent(run.runId));
    // All ranks before the first file, so that a run that is refused leaves none.
    std::map<int, std::vector<ChakraNode>> traces;
    for (const auto& [rank, spans] : ranks) {
        if (broadcasts(spans, reduces.broadcastSteps)) {
            return noTrace(
                run,
                "rank 0 broadcasts the model's buffers after steps that average gradients, and a record does "
                "not say the kind of a collective: record a run with broadcast_buffers = false in "
                "[algorithm] or, where the algorithm has no such field, sync_steps = 0");
        }
        auto nodes = chakraNodesOf(spans, extent->start, reduces.delay);
        if (!nodes) return noTrace(run, "rank " + std::to_string(rank) + ": " + nodes.error().message);
        traces[rank] = std::move(*nodes);
    }
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    if (code) return fail(folder.string() + ": cannot be made: " + code.message());
    ChakraExport made;
    for (const auto& [rank, nodes] : traces) {
        made.files.push_back(folder / (run.runId + "." + std::to_string(rank) + ".et"));
        if (!replace && std::filesystem::exists(made.files.back(), code)) {
            return fail(made.files.back().string() + " is there already; choose another folder, or give --replace");
        }
        made.nodes += nodes.size();
        made.collectives += static_cast<std::size_t>(std::ranges::count(nodes, true, &ChakraNode::isCollective));
    }
    auto file = made.files.begin();
    for (const auto& [rank, nodes] : traces) DASGD_TRY(writeRank(*file++, run, rank, nodes, extent->start));
    return made;
}

}  // namespace dasgd::experiments
