#include "core/device/shared_library.h"

#include <dlfcn.h>

namespace dasgd {

Result<SharedLibrary> SharedLibrary::open(const std::string& name) {
    void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle) return SharedLibrary(handle);
    const char* why = ::dlerror();
    return fail(why ? why : name + " cannot be loaded");
}

void* SharedLibrary::find(const char* name) {
    void* found = ::dlsym(handle_, name);
    if (!found) missing_.append(missing_.empty() ? "" : ", ").append(name);
    return found;
}

}  // namespace dasgd
