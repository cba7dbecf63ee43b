// Chakra execution traces read back, by the wire format of Protocol Buffers alone and none of our code. Numbers of
// fields as in schema/protobuf/et_def.proto of github.com/mlcommons/chakra.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace dasgd::test {

struct DecodedField {
    std::uint64_t number = 0, value = 0;
    std::string bytes;
};

class WireReader {
public:
    explicit WireReader(std::string bytes) : bytes_(std::move(bytes)) {}
    [[nodiscard]] bool atEnd() const { return at_ == bytes_.size(); }
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (int shift = 0;; shift += 7) {
            if (atEnd() || shift > 63) throw std::runtime_error("a varint does not end");
            const auto byte = static_cast<unsigned char>(bytes_[at_++]);
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if ((byte & 0x80U) == 0) return value;
        }
    }
    std::string delimited() {
        const std::uint64_t size = varint();
        if (size > bytes_.size() - at_) throw std::runtime_error("a message is cut off");
        at_ += size;
        return bytes_.substr(at_ - size, size);
    }
    std::vector<DecodedField> fields() {
        std::vector<DecodedField> all;
        while (!atEnd()) {
            const std::uint64_t tag = varint();
            DecodedField field{.number = tag >> 3};
            if ((tag & 7) == 0) {
                field.value = varint();
            } else if ((tag & 7) == 2) {
                field.bytes = delimited();
            } else {
                throw std::runtime_error("no field of these traces has wire type " + std::to_string(tag & 7));
            }
            all.push_back(std::move(field));
        }
        return all;
    }

private:
    std::string bytes_;
    std::size_t at_ = 0;
};

struct DecodedNode {
    std::uint64_t id = 0, type = 0, startUs = 0, durationUs = 0;
    std::string name;
    std::vector<std::uint64_t> dependencies;
    std::map<std::string, std::uint64_t> attributes;
};

struct DecodedTrace {
    std::string version;
    std::map<std::string, std::string> texts;
    std::vector<DecodedNode> nodes;  // in the order of the file
};

inline DecodedTrace readChakra(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    WireReader stream(bytes.str());
    DecodedTrace trace;
    for (const DecodedField& field : WireReader(stream.delimited()).fields()) {
        if (field.number == 1) trace.version = field.bytes;
        if (field.number != 2) continue;
        std::string name, text;
        for (const DecodedField& part : WireReader(field.bytes).fields()) {
            if (part.number == 1) name = part.bytes;
            if (part.number == 29) text = part.bytes;
        }
        trace.texts[name] = text;
    }
    while (!stream.atEnd()) {
        DecodedNode node;
        for (const DecodedField& field : WireReader(stream.delimited()).fields()) {
            switch (field.number) {
                case 1: node.id = field.value; break;
                case 2: node.name = field.bytes; break;
                case 3: node.type = field.value; break;
                case 5: node.dependencies.push_back(field.value); break;
                case 6: node.startUs = field.value; break;
                case 7: node.durationUs = field.value; break;
                case 10: {
                    std::string name;
                    std::uint64_t value = 0;
                    for (const DecodedField& part : WireReader(field.bytes).fields()) {
                        if (part.number == 1) name = part.bytes;
                        if (part.number == 9 || part.number == 27) value = part.value;
                    }
                    node.attributes[name] = value;
                    break;
                }
                default: throw std::runtime_error("a node has no field " + std::to_string(field.number));
            }
        }
        trace.nodes.push_back(std::move(node));
    }
    return trace;
}

// Microseconds at which each rank's nodes have all ended, by their durations and dependencies alone: a collective
// begins when every rank has come to it. Throws where some node never can.
inline std::vector<std::uint64_t> replayChakra(const std::vector<DecodedTrace>& ranks) {
    std::vector<std::map<std::uint64_t, std::uint64_t>> ended(ranks.size());
    std::map<std::uint64_t, std::map<std::size_t, std::uint64_t>> arrived;
    for (bool moves = true; moves;) {
        moves = false;
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            for (const DecodedNode& node : ranks[rank].nodes) {
                if (ended[rank].contains(node.id)) continue;
                std::uint64_t ready = 0;
                bool isReady = true;
                for (const std::uint64_t id : node.dependencies) {
                    const auto found = ended[rank].find(id);
                    isReady = isReady && found != ended[rank].end();
                    if (found != ended[rank].end()) ready = std::max(ready, found->second);
                }
                if (!isReady) continue;
                if (node.type == 7) {
                    auto& instants = arrived[node.attributes.at("collective")];
                    instants[rank] = ready;
                    if (instants.size() < ranks.size()) continue;
                    for (const auto& [who, at] : instants) ready = std::max(ready, at);
                }
                ended[rank][node.id] = ready + node.durationUs;
                moves = true;
            }
        }
    }
    std::vector<std::uint64_t> last(ranks.size(), 0);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        if (ended[rank].size() != ranks[rank].nodes.size()) throw std::runtime_error("a node waits for ever");
        for (const auto& [id, at] : ended[rank]) last[rank] = std::max(last[rank], at);
    }
    return last;
}

}  // namespace dasgd::test
