// Reads commit and changes of a git repository. The repository may be anyone's: nothing that its configuration names is
// run, nothing is fetched, and it is not locked. Each call takes at most a few seconds.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace dasgd::experiments {

// The commit that is checked out in the repository around `folder`; nullopt outside of one.
[[nodiscard]] std::optional<std::string> commitIn(const std::filesystem::path& folder);

struct UncommittedChanges {
    bool any = false;  // files that git does not know (the workspace …) do not count
    std::string diff;  // against the commit; cut off after 1 MiB, which its last line then says
};
[[nodiscard]] UncommittedChanges uncommittedIn(const std::filesystem::path& folder);

// The `git diff` between two commits of the repository, cut off as above. Errors: `folder` is in no repository, or in
// one that lacks one of the commits.
[[nodiscard]] Result<std::string> diffOfCommits(const std::filesystem::path& folder, const std::string& from,
                                                const std::string& to);

}  // namespace dasgd::experiments
