#include "core/models/script_file.h"

#include <ATen/core/function.h>
#include <caffe2/serialize/file_adapter.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/csrc/jit/serialization/import_read.h>
#include <torch/csrc/jit/serialization/import_source.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "core/models/script_nodes.h"
#include "core/models/script_operators.h"
#include "core/models/script_source.h"

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
                   "is not among the operators that a network may use (core/models/script_operators.cpp): take the "
                   "call out of the network and save it again");
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

// Reads the code as torch::jit::load() does, without the objects: they stay empty, so that no __setstate__ runs.
class CodeReader {
public:
    explicit CodeReader(const std::shared_ptr<FileAdapter>& bytes) : reader_(bytes) {}

    // Throws RefusedCode, and what LibTorch throws of a file that it cannot read.
    void check() {
        // Its version is none of the archive's, and it would be loaded in another way.
        if (reader_.hasRecord("model.json")) throw std::runtime_error("it was written by PyTorch 1.0 or before");
        const auto constants = readArchive("constants").toTupleRef().elements().vec();
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
        const auto emptyObject = [](const c10::StrongTypePtr& type, const c10::IValue&) {
            return c10::ivalue::Object::create(type, type.type_->expectRef<c10::ClassType>().numAttributes());
        };
        return torch::jit::readArchiveAndTensors(name, "", "", resolve, emptyObject, at::Device(at::kCPU), reader_);
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
