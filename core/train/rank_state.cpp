#include "core/train/rank_state.h"

#include <torch/types.h>

#include <functional>
#include <string>
#include <vector>

#include "core/algorithms/extensions.h"
#include "core/models/common_pass_state.h"
#include "core/train/checkpoint/named_tensors.h"

namespace dasgd {

namespace {

constexpr const char* kBalance = "balance/";
constexpr const char* kNorms = "sampler/norms";

using Each = std::function<Status(const std::string& name, at::Tensor tensor)>;

Each intoArchive(Archive& archive, const std::string& prefix) {
    return [&archive, prefix](const std::string& name, const at::Tensor& tensor) -> Status {
        archive.put(prefix + name, tensor);
        return {};
    };
}

Each fromArchive(const Archive& archive, const std::string& prefix) {
    return
        [&archive, prefix](const std::string& name, at::Tensor tensor) { return archive.read(prefix + name, tensor); };
}

// Puts `flat`, which is laid out as the weights are, into the archive under the parameters' names.
void putByName(Archive& archive, const std::string& prefix, const RankParts& parts, const at::Tensor& flat) {
    const FlatParams& params = parts.context.params();
    const at::Tensor dense = params.withoutPadding(flat);
    std::int64_t offset = 0;
    const auto put = [&](const std::string& name, const at::Tensor& parameter) -> Status {
        if (!parameter.requires_grad()) return {};  // not trained, so not in the flat tensor
        archive.put(prefix + name, dense.narrow(0, offset, parameter.numel()).view(parameter.sizes()));
        offset += parameter.numel();
        return {};
    };
    static_cast<void>(forEachOnce(parts.model.module().named_parameters(), put));
}

// Puts the floating-point buffers, which lie in `flat` one after the other, under their names.
void putBuffersByName(Archive& archive, const std::string& prefix, const RankParts& parts, const at::Tensor& flat) {
    std::int64_t offset = 0;
    const auto put = [&](const std::string& name, const at::Tensor& buffer) -> Status {
        if (!buffer.is_floating_point()) return {};
        archive.put(prefix + name, flat.narrow(0, offset, buffer.numel()).view(buffer.sizes()));
        offset += buffer.numel();
        return {};
    };
    static_cast<void>(forEachOnce(parts.model.module().named_buffers(), put));
}

struct NamedGenerator {
    const char* name;
    at::Generator& generator;
};
std::vector<NamedGenerator> generatorsOf(const RankParts& parts) {
    return {{"random/own", parts.context.random()},
            {"random/shared", parts.context.sharedRandom()},
            {"random/forward", parts.forward}};
}

Status restoreGenerator(const Archive& archive, const NamedGenerator& own) {
    at::Tensor state = own.generator.get_state();
    DASGD_TRY(archive.read(own.name, state));
    own.generator.set_state(state);
    return {};
}

// Restores the state that every rank has, whatever their number.
Status restoreShared(const RankParts& parts, const Archive& archive) {
    DASGD_TRY(forEachOnce(parts.model.module().named_parameters(), fromArchive(archive, "weights/")));
    DASGD_TRY(forEachOnce(parts.model.module().named_buffers(), fromArchive(archive, "buffers/")));
    auto* divides = dynamic_cast<StepsPart*>(&parts.algorithm);
    FlatParams stepped = divides ? divides->steppedPart(parts.context) : parts.context.params();
    DASGD_TRY(parts.optimizer.load(archive.under("optimizer/"), stepped));
    at::Tensor selection = parts.selection.state();
    DASGD_TRY(archive.read("selection", selection));
    parts.selection.setState(selection);
    return {};
}

Status restoreModel(Model& model, const Archive& archive) {
    std::vector<at::Tensor> state;
    const at::Device device =
        model.module().parameters().empty() ? at::Device(at::kCPU) : model.module().parameters().front().device();
    for (std::size_t i = 0; archive.has("model/" + std::to_string(i)); ++i) {
        state.push_back(archive.tensors().at("model/" + std::to_string(i)).to(device));
    }
    return model.setPassState(state);
}

}  // namespace

bool canBeSaved(const Algorithm& algorithm) { return dynamic_cast<const Checkpointed*>(&algorithm) != nullptr; }

bool isElastic(const Algorithm& algorithm) { return dynamic_cast<const Elastic*>(&algorithm) != nullptr; }

Archive saveAlgorithm(const RankParts& parts) {
    Archive archive;
    dynamic_cast<Checkpointed&>(parts.algorithm).save(parts.context, archive);
    return archive;
}

Archive saveRank(const RankParts& parts, const Archive& algorithm, const RankCounters& counters) {
    const at::NoGradGuard guard;
    Archive archive, optimizer;
    archive.putUnder("rule/", algorithm);
    parts.optimizer.save(optimizer);
    archive.putUnder("optimizer/", optimizer);
    static_cast<void>(forEachOnce(parts.model.module().named_parameters(), intoArchive(archive, "weights/")));
    static_cast<void>(forEachOnce(parts.model.module().named_buffers(), intoArchive(archive, "buffers/")));
    if (NamesWeights* const names = weightsNamer(parts.algorithm)) {
        archive.put("names", 1);
        const at::Tensor named = names->namedWeights(parts.context);
        if (named.defined()) putByName(archive, "named/", parts, named);
        const at::Tensor buffers = names->namedBuffers(parts.context);
        if (buffers.defined()) putBuffersByName(archive, "named_buffers/", parts, buffers);
    }
    for (const NamedGenerator& own : generatorsOf(parts)) archive.put(own.name, own.generator.get_state());
    const std::vector<at::Tensor> pass = parts.model.passState();
    for (std::size_t i = 0; i < pass.size(); ++i) archive.put("model/" + std::to_string(i), pass[i]);
    archive.put("selection", parts.selection.state());
    if (parts.balance) {
        Archive balance;
        parts.balance->save(balance);
        archive.putUnder(kBalance, balance);
    }
    if (parts.sampler) archive.put(kNorms, parts.sampler->norms());
    putCounters(archive, counters);
    archive.moveToHost();
    return archive;
}

Result<RankCounters> restoreRank(const RankParts& parts, const Archive& archive) {
    const at::NoGradGuard guard;
    auto* algorithm = dynamic_cast<Checkpointed*>(&parts.algorithm);
    if (!algorithm) return fail("this algorithm cannot be resumed from a checkpoint");
    DASGD_ASSIGN(const RankCounters counters, countersOf(archive));
    DASGD_TRY(restoreShared(parts, archive));
    for (const NamedGenerator& own : generatorsOf(parts)) DASGD_TRY(restoreGenerator(archive, own));
    DASGD_TRY(restoreModel(parts.model, archive));
    if (parts.balance) DASGD_TRY(parts.balance->load(archive.under(kBalance)));
    if (parts.sampler) {
        at::Tensor norms = parts.sampler->norms();
        DASGD_TRY(archive.read(kNorms, norms));
        parts.sampler->setNorms(norms);
    }
    parts.context.moveTo(counters.step, 0);
    DASGD_TRY(algorithm->load(parts.context, archive.under("rule/")));
    return counters;
}

Status restoreCommon(const RankParts& parts, const Archive& common, const Archive& own) {
    const at::NoGradGuard guard;
    DASGD_TRY(restoreShared(parts, common));
    if (dynamic_cast<const HasCommonPassState*>(&parts.model)) DASGD_TRY(restoreModel(parts.model, common));
    if (dynamic_cast<const HasRandomPassState*>(&parts.model) && own.has("model/0")) {
        DASGD_TRY(restoreModel(parts.model, own));
    }
    for (const NamedGenerator& stream : generatorsOf(parts)) {
        const Archive& of = common.has(stream.name) ? common : own;
        // A rank that the checkpoint did not have begins its streams anew.
        if (of.has(stream.name)) DASGD_TRY(restoreGenerator(of, stream));
    }
    return {};
}

}  // namespace dasgd
