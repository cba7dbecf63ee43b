// Files in folders, one folder a class, found as torchvision's ImageFolder finds them.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

// The folders of classes in `split`, sorted by name. Names that begin with a dot are no classes: tools leave such
// folders behind. Errors: the folder cannot be read.
[[nodiscard]] Result<std::vector<std::filesystem::path>> classFolders(const std::filesystem::path& split);

// All files below `folder`, in its sub-folders too, in the same order in every process: sorted by the name of their
// folder, then by their own. Links are followed. Names that begin with a dot are left out. Errors: a folder cannot be
// read; a link leads back to a folder that it lies in.
[[nodiscard]] Result<std::vector<std::filesystem::path>> filesBelow(const std::filesystem::path& folder);

// True where the name ends as one that torchvision takes for an image: .jpg .jpeg .png .ppm .bmp .pgm .tif .tiff .webp.
[[nodiscard]] bool hasImageName(const std::filesystem::path& file);

}  // namespace dasgd
