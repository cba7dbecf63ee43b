#include "experiments/base/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstring>

namespace dasgd::experiments {

namespace {

constexpr std::size_t kNoteAlignment = 4;

std::size_t aligned(std::size_t size) { return (size + kNoteAlignment - 1) / kNoteAlignment * kNoteAlignment; }

std::string hexOf(const unsigned char* bytes, std::size_t count) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string hex;
    for (std::size_t i = 0; i < count; ++i) {
        hex += kDigits[bytes[i] >> 4];
        hex += kDigits[bytes[i] & 15];
    }
    return hex;
}

// Notes are a header, the owner's name and a description, each padded.
std::string buildIdIn(const unsigned char* notes, std::size_t size) {
    std::size_t at = 0;
    while (at + sizeof(ElfW(Nhdr)) <= size) {
        ElfW(Nhdr) header;
        std::memcpy(&header, notes + at, sizeof header);
        const std::size_t name = at + sizeof header;
        const std::size_t description = name + aligned(header.n_namesz);
        const std::size_t end = description + aligned(header.n_descsz);
        if (end > size) return {};
        const bool isGnu = header.n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0;
        if (isGnu && header.n_type == NT_GNU_BUILD_ID) return hexOf(notes + description, header.n_descsz);
        at = end;
    }
    return {};
}

// The first object is the executable itself.
int lookAtExecutable(dl_phdr_info* object, std::size_t, void* found) {
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto& part = object->dlpi_phdr[i];
        if (part.p_type != PT_NOTE) continue;
        const auto* notes = reinterpret_cast<const unsigned char*>(object->dlpi_addr + part.p_vaddr);
        std::string id = buildIdIn(notes, part.p_memsz);
        if (id.empty()) continue;
        *static_cast<std::string*>(found) = std::move(id);
        break;
    }
    return 1;
}

}  // namespace

std::string buildId() {
    std::string id;
    ::dl_iterate_phdr(lookAtExecutable, &id);
    return id;
}

}  // namespace dasgd::experiments
