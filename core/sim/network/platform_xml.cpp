#include "core/sim/network/platform_xml.h"

#include <algorithm>
#include <pugixml.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "core/base/text/printable.h"
#include "core/sim/network/platform_elements.h"

namespace dasgd {

namespace {

using Text = std::string_view;
using Element = PlatformElement;
using Attribute = PlatformAttribute;

constexpr int kDeepest = 32;  // zones within zones

template <class Names>
std::string listed(const Names& names) {
    std::string text;
    for (const Text name : names) text.append(text.empty() ? "" : ", ").append(name);
    return text.empty() ? "nothing" : text;
}

class Writer {
public:
    Writer(const std::filesystem::path& file, const std::string& content) : file_(file.string()) {
        for (std::size_t i = 0; i < content.size(); ++i) {
            if (content[i] == '\n') lineEnds_.push_back(i);
        }
    }

    [[nodiscard]] tl::unexpected<Error> wrong(std::size_t offset, const std::string& what) const {
        const std::size_t line = lineOf(offset);
        const std::size_t begin = line == 1 ? 0 : lineEnds_[line - 2] + 1;
        return fail(file_ + ":" + std::to_string(line) + ":" + std::to_string(offset - begin + 1) + ": " + what);
    }

    Status document(const pugi::xml_document& document) {
        const pugi::xml_node root = document.document_element();
        if (Text(root.name()) != "platform") {
            return fail(file_ + ": is no platform file of SimGrid: it has no <platform>");
        }
        for (const pugi::xml_node node : document) {
            const bool subset = node.type() == pugi::node_doctype && Text(node.value()).find('[') != Text::npos;
            if (subset) return wrong(node, "the DOCTYPE declares entities or elements of its own; remove the [ … ]");
            if (node.type() == pugi::node_pi) return wrong(node, "a processing instruction is not allowed");
            if (node.type() == pugi::node_element && node != root) return wrong(node, "a second <platform>");
        }
        text_ = R"(<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">)";
        return element(root, platformElements().at("platform"), 0);
    }

    [[nodiscard]] std::string take() { return std::move(text_) + "\n"; }

private:
    [[nodiscard]] std::size_t lineOf(std::size_t offset) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(lineEnds_, offset) - lineEnds_.begin()) + 1;
    }
    [[nodiscard]] static std::size_t offsetOf(const pugi::xml_node& node) {
        return static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
    }
    [[nodiscard]] tl::unexpected<Error> wrong(const pugi::xml_node& node, const std::string& what) const {
        return wrong(offsetOf(node), what);
    }

    Status element(const pugi::xml_node& node, const Element& allowed, int depth) {
        if (depth > kDeepest) return wrong(node, "zones are nested more than " + std::to_string(kDeepest) + " deep");
        DASGD_TRY(count(node));
        if (allowed.isSkipped) return {};
        std::string tag = "<" + std::string(allowed.written);
        DASGD_TRY(attributes(node, allowed, tag));
        const bool writes = !allowed.written.empty();
        if (writes) write(node, tag + (node.first_child() ? ">" : "/>"));
        for (const pugi::xml_node inner : node) DASGD_TRY(child(node, allowed, inner, depth));
        if (writes && node.first_child()) text_ += "</" + std::string(allowed.written) + ">";
        return {};
    }

    Status child(const pugi::xml_node& node, const Element& allowed, const pugi::xml_node& inner, int depth) {
        const std::string outer = "<" + std::string(node.name()) + ">";
        if (inner.type() != pugi::node_element) return wrong(inner, "text is not allowed in " + outer);
        if (allowed.children.contains(inner.name())) {
            const bool option = Text(node.name()) == "config";
            return element(inner, platformElements().at(option ? kConfigOption : inner.name()), depth + 1);
        }
        const std::string reason(reasonAgainst(inner.name()));
        return wrong(inner, "<" + excerpt(inner.name()) + "> is not allowed in " + outer +
                                (reason.empty() ? "" : ": " + reason) + "; allowed: " + listed(allowed.children));
    }

    Status attributes(const pugi::xml_node& node, const Element& allowed, std::string& tag) const {
        const std::string own = "<" + std::string(node.name()) + ">";
        std::set<Text> given;
        for (const pugi::xml_attribute attribute : node.attributes()) {
            const Text name = attribute.name();
            const Text value = attribute.value();
            const auto found = std::ranges::find(allowed.attributes, name, &Attribute::name);
            if (found == allowed.attributes.end()) return wrong(node, unknown(own, name, allowed));
            if (!given.insert(name).second) return wrong(node, own + " has the attribute " + excerpt(name) + " twice");
            if (!found->value->isRight || (value.empty() && !found->required)) continue;
            if (!found->value->isRight(value)) {
                return wrong(node, own + " has " + excerpt(name) + "=\"" + excerpt(value) +
                                       "\"; allowed: " + std::string(found->value->allowed));
            }
            tag.append(" ").append(name).append("=\"");
            tag.append(found->value->written ? found->value->written(value) : std::string(value)).append("\"");
        }
        for (const Attribute& attribute : allowed.attributes) {
            if (!attribute.required || given.contains(attribute.name)) continue;
            return wrong(node, own + " has no " + std::string(attribute.name) + "; it must have one");
        }
        return {};
    }

    static std::string unknown(const std::string& own, Text name, const Element& allowed) {
        std::vector<Text> names;
        for (const Attribute& attribute : allowed.attributes) names.push_back(attribute.name);
        const std::string reason(reasonAgainst(name));
        return "the attribute " + excerpt(name) + " is not allowed in " + own + (reason.empty() ? "" : ": " + reason) +
               "; allowed: " + listed(names);
    }

    // Counts the hosts of an element: SimGrid makes all of them, used or not.
    Status count(const pugi::xml_node& node) {
        const Text name = node.name();
        if (name == "host" || name == "peer") ++hosts_;
        if (name == "cluster" || name == "cabinet") {
            hosts_ += std::max<std::int64_t>(0, countOfRadical(node.attribute("radical").value()));
        }
        if (hosts_ <= kMostPlatformHosts) return {};
        return wrong(node, "more than " + std::to_string(kMostPlatformHosts) + " hosts");
    }

    void write(const pugi::xml_node& node, const std::string& tag) {
        const std::size_t line = lineOf(offsetOf(node));
        text_.append(line - line_, '\n');
        line_ = line;
        text_ += tag;
    }

    std::string file_;
    std::vector<std::size_t> lineEnds_;
    std::string text_;
    std::size_t line_ = 1;
    std::int64_t hosts_ = 0;
};

}  // namespace

Result<std::string> checkedPlatformXml(const std::filesystem::path& file, const std::string& content) {
    Writer writer(file, content);
    if (const auto nul = content.find('\0'); nul != std::string::npos)
        return writer.wrong(nul, "a NUL byte; is no XML");
    pugi::xml_document document;
    // Entities stay as they are written: no value that passes the checks has an '&'.
    constexpr unsigned kFlags = pugi::parse_cdata | pugi::parse_pi | pugi::parse_declaration | pugi::parse_doctype;
    const auto parsed = document.load_buffer(content.data(), content.size(), kFlags, pugi::encoding_utf8);
    if (parsed.status == pugi::status_no_document_element) {
        return fail(file.string() + ": is no platform file of SimGrid: it has no <platform>");
    }
    if (!parsed) {
        return writer.wrong(static_cast<std::size_t>(parsed.offset), "is no XML: " + std::string(parsed.description()));
    }
    DASGD_TRY(writer.document(document));
    return writer.take();
}

}  // namespace dasgd
