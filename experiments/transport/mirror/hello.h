// First frame of a mirror's connection, of the workspace that is taken from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "experiments/transport/pipe/frame_channel.h"

namespace dasgd::experiments {

struct Hello {
    std::uint32_t protocol = kProtocol;
    std::uint32_t schema = 0;
    std::string workspace, program;  // identity; version
    static constexpr std::uint32_t kProtocol = 1;

    [[nodiscard]] std::string bytes() const {
        std::string body(kGreeting);
        ByteWriter{body}(protocol, schema, workspace, program);
        return body;
    }
    // Of another protocol only these two numbers are known.
    [[nodiscard]] static std::optional<Hello> of(std::string_view body) {
        if (!body.starts_with(kGreeting)) return std::nullopt;
        ByteReader in(body.substr(kGreeting.size()));
        Hello hello;
        if (!in(hello.protocol, hello.schema)) return std::nullopt;
        const bool whole = hello.protocol != kProtocol || in(hello.workspace, hello.program);
        return whole ? std::optional(hello) : std::nullopt;
    }
};

}  // namespace dasgd::experiments
