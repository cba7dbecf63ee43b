#include "core/models/script/script_file.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/function.h>
#include <caffe2/serialize/file_adapter.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/csrc/jit/serialization/import_source.h>
#include <torch/csrc/jit/serialization/unpickler.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "core/models/classifier.h"
#include "core/models/script/script_nodes.h"
#include "core/models/script/script_operators.h"
#include "core/models/script/script_source.h"

namespace dasgd {

namespace {

using caffe2::serialize::FileAdapter;
using caffe2::serialize::PyTorchStreamReader;

constexpr std::string_view kCppClasses = "__torch__.torch.classes";

// Attributes of a class are not entered: a class may hold itself, and who reads one has a value of its type.
bool isWrittenInCpp(const c10::TypePtr& type) {
    const auto* named = type->castRaw<c10::ClassType>();
    if (named) return named->name() && named->name()->qualifiedName().starts_with(kCppClasses);
    return std::ranges::any_of(type->containedTypes(), [](const c10::TypePtr& part) { return isWrittenInCpp(part); });
}

// The functions of a file and all that they call.
class CodeCheck {
public:
    // Throws RefusedCode.
    void look(torch::jit::Function& function) {
        if (!seen_.insert(&function).second) return;
        const torch::jit::GraphFunction* code = torch::jit::tryToGraphFunction(function);
        if (!code) refuse(function.qualname().qualifiedName(), "is not written in TorchScript");
        const std::string place = function.qualname().qualifiedName();
        forEachNode(*code->graph()->block(), [&](const torch::jit::Node& node) { look(node, place); });
    }

private:
    [[noreturn]] static void refuse(const std::string& what, const std::string& why) {
        throw RefusedCode(what + " " + why +
                          ". A model file is code; here it may compute with tensors and numbers, and nothing else");
    }

    void look(const torch::jit::Node& node, const std::string& place) {
        const std::string name = node.kind().toQualString();
        if (!isAllowedOperator(name)) {
            refuse(name + ", which " + place + " calls,",
                   "is not among the operators that a network may use (core/models/script/script_operators.cpp): "
                   "take the call out of the network and save it again");
        }
        for (const torch::jit::Value* value : node.outputs()) {
            if (isWrittenInCpp(value->type())) {
                refuse("a value in " + place, "is of a class that is written in C++, " + value->type()->str());
            }
        }
        if (node.kind() == c10::prim::CallFunction) {
            look(*node.input(0)->type()->expectRef<c10::FunctionType>().function());
        } else if (node.kind() == c10::prim::CallMethod) {
            const auto* type = node.input(0)->type()->castRaw<c10::ClassType>();
            // A call by way of an interface is of a class of this file, whose functions are all looked at.
            if (type) look(type->getMethod(node.s(c10::attr::name)));
        }
    }

    std::set<torch::jit::Function*> seen_;
};

// The bytes that a file holds of each storage. LibTorch believes the sizes that a file states of its tensors, and would
// compute with memory that is another's.
class StoredBytes {
public:
    void add(const at::DataPtr& data, std::size_t bytes) { bytes_.insert_or_assign(data.get(), bytes); }
    // Throws std::runtime_error where a tensor in `value` reaches beyond its bytes.
    void check(const c10::IValue& value) const {
        std::set<const void*> seen;  // a list may hold itself
        value.visit([&](const c10::IValue& part) {
            if (part.isTensor() && part.toTensor().defined()) check(part.toTensor());
            return part.isPtrType() && !seen.insert(part.internalToPointer()).second;
        });
    }

private:
    void check(const at::Tensor& tensor) const {
        if (tensor.layout() != at::kStrided) throw std::runtime_error("it holds a sparse tensor");
        const auto found = bytes_.find(tensor.storage().data());
        const std::size_t bytes = found == bytes_.end() ? 0 : found->second;
        const auto isNegative = [](std::int64_t extent) { return extent < 0; };
        const bool isPlaced = tensor.storage_offset() >= 0 && std::ranges::none_of(tensor.sizes(), isNegative) &&
                              std::ranges::none_of(tensor.strides(), isNegative);
        if (isPlaced && at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.element_size(),
                                                         static_cast<std::size_t>(tensor.storage_offset())) <= bytes) {
            return;
        }
        throw std::runtime_error("it holds " + std::to_string(bytes) + " bytes of a tensor of " +
                                 shapeText(tensor.sizes().vec()) + ", which is more");
    }

    std::map<const void*, std::size_t> bytes_;
};

// Reads the file as torch::jit::load() does, without the objects: they stay empty, so that no __setstate__ runs.
class CodeReader {
public:
    explicit CodeReader(const std::shared_ptr<FileAdapter>& bytes) : reader_(bytes) {}

    // Throws RefusedCode, and what LibTorch throws of a file that it cannot read.
    void check() {
        // Its version is none of the archive's, and it would be loaded in another way.
        if (reader_.hasRecord("model.json")) throw std::runtime_error("it was written by PyTorch 1.0 or before");
        const c10::IValue table = readArchive("constants");
        const auto constants = table.toTupleRef().elements().vec();
        constants_.assign(constants.begin(), constants.end());
        readArchive("data");
        CodeCheck check;
        for (torch::jit::Function* function : unit_->get_functions()) check.look(*function);
    }

private:
    c10::IValue readArchive(const std::string& name) {
        const auto resolve = [this](const c10::QualifiedName& wanted) {
            return c10::StrongTypePtr(unit_, typeOf(wanted));
        };
        StoredBytes stored;
        const auto emptyObject = [&](const c10::StrongTypePtr& type, const c10::IValue& state) {
            stored.check(state);
            return c10::ivalue::Object::create(type, type.type_->expectRef<c10::ClassType>().numAttributes());
        };
        const auto readRecord = [&](const std::string& record) {
            auto [data, size] = reader_.getRecord(name + "/" + record);
            stored.add(data, size);
            return std::move(data);
        };
        const auto [pickle, size] = reader_.getRecord(name + ".pkl");
        std::string_view left(static_cast<const char*>(pickle.get()), size);
        const auto readPickle = [&](char* to, std::size_t most) {
            const std::size_t length = std::min(most, left.size());
            std::memcpy(to, left.data(), length);
            left.remove_prefix(length);
            return length;
        };
        torch::jit::Unpickler unpickler(readPickle, resolve, emptyObject, readRecord, at::Device(at::kCPU));
        unpickler.set_version(reader_.version());
        c10::IValue value = unpickler.parse_ivalue();
        stored.check(value);
        return value;
    }

    // Classes, and enumerations.
    c10::TypePtr typeOf(const c10::QualifiedName& name) {
        const std::string text = name.qualifiedName();
        c10::TypePtr type;
        // The type counts, not its name alone: LibTorch parses the name, so that a blank in front of it changes
        // nothing.
        if (text.starts_with(kCppClasses) || isWrittenInCpp(type = importer_.loadType(name))) {
            throw RefusedCode("it holds an object of a class that is written in C++, " + text +
                              ": save the network without it");
        }
        const auto* cls = type->castRaw<c10::ClassType>();
        if (cls && cls->findMethod("__setstate__")) {
            throw RefusedCode("class " + text +
                              " restores itself by code of its own, __setstate__, which would run while the file is "
                              "read: save the network without it, and what it restored in buffers");
        }
        return type;
    }

    // The importer compiles nothing that this has not returned, and so nothing that was not checked before.
    std::shared_ptr<torch::jit::Source> sourceOf(const std::string& qualifier) {
        std::string path = "code/" + qualifier + ".py";
        std::replace(path.begin(), path.end() - 3, '.', '/');
        if (!reader_.hasRecord(path)) return nullptr;
        const auto [data, size] = reader_.getRecord(path);
        const std::string text(static_cast<const char*>(data.get()), size);
        auto source = std::make_shared<torch::jit::Source>(text, path, 1);
        checkSource(source);
        return source;
    }

    PyTorchStreamReader reader_;
    std::shared_ptr<torch::jit::CompilationUnit> unit_ = std::make_shared<torch::jit::CompilationUnit>();
    std::vector<c10::IValue> constants_;
    torch::jit::SourceImporter importer_{
        unit_, &constants_, [this](const std::string& qualifier) { return sourceOf(qualifier); }, reader_.version()};
};

// The first sentence of a reason, without the place in LibTorch's own source; what follows it is of no use here.
std::string firstSentence(std::string reason) {
    constexpr std::string_view kPlace = "[enforce fail at ", kPlaceEnd = "] . ";
    const auto end = reason.find(kPlaceEnd);
    if (reason.starts_with(kPlace) && end != std::string::npos) reason.erase(0, end + kPlaceEnd.size());
    return reason.substr(0, reason.find(". "));
}

tl::unexpected<Error> refuseFile(const std::string& path, const std::exception& error) {
    return fail(path + " is no TorchScript file that this version of LibTorch reads (" +
                firstSentence(reasonOf(error)) +
                "). Write it with torch.jit.script(net).save(path), not with torch.save, in PyTorch " TORCH_VERSION
                " or before");
}

}  // namespace

std::string reasonOf(const std::exception& error) {
    const std::string text = error.what();
    for (const std::string_view mark : {"RuntimeError: ", "Error: "}) {
        const auto found = text.rfind(mark);
        if (found != std::string::npos)
            return text.substr(found + mark.size(), text.find('\n', found) - found - mark.size());
    }
    return text.substr(0, text.find('\n'));
}

Result<ScriptFile> ScriptFile::open(const std::string& path) {
    std::error_code code;
    const auto status = std::filesystem::status(path, code);
    if (!std::filesystem::is_regular_file(status)) {
        std::string problem = "this is not a regular file";
        if (status.type() == std::filesystem::file_type::not_found) {
            problem = "there is no such file";
        } else if (code) {
            problem = "it cannot be read (" + code.message() + ")";
        }
        return fail(path + ": " + problem + ". model.path must name what torch.jit.script(net).save(path) wrote");
    }
    try {
        auto bytes = std::make_shared<FileAdapter>(path);
        CodeReader(bytes).check();
        return ScriptFile(path, std::move(bytes));
    } catch (const RefusedCode& error) {
        return fail(path + ": " + error.what());
    } catch (const std::exception& error) {
        return refuseFile(path, error);
    }
}

Result<torch::jit::Module> ScriptFile::load() const {
    try {
        return torch::jit::load(bytes_, at::Device(at::kCPU), /*load_debug_files=*/false);
    } catch (const std::exception& error) {
        return refuseFile(path_, error);
    }
}

}  // namespace dasgd
