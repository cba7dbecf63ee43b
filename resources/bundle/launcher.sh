#!/bin/sh
# Starts the engine of this bundle with its own libraries and with the LibTorch of this machine. exec keeps the process:
# what torchrun, srun and mpirun signal and wait for is the engine. Words between at signs were filled in by bundle.sh.
set -eu
unset CDPATH

version=@VERSION@
torch_needed=@TORCH@
torch_libraries="@TORCH_LIBRARIES@"
glibc_needed=@GLIBC@
system_loader=@LOADER@
build=@BUILD@
# Where the engine's file names its loader, and how much room there is.
loader_offset=@LOADER_OFFSET@
loader_room=@LOADER_ROOM@

die() {
    printf 'dasgd: %s\n' "$*" >&2
    exit 1
}

# $0 may be a link.
self=$0
case $self in */*) ;; *) self=./$self ;; esac
while [ -L "$self" ]; do
    target=$(readlink "$self")
    case $target in /*) self=$target ;; *) self=${self%/*}/$target ;; esac
done
bundle=$(cd "${self%/*}/.." && pwd -P)
case $bundle in *:* | *\;*) die "the bundle lies in $bundle: library paths cannot hold ':' or ';', move it." ;; esac

# at_least 2.36 2.28: whether the second version is the first or newer.
at_least() {
    case $2 in *[!0-9.]* | "" | .*) return 1 ;; esac
    [ "${2%%.*}" -ne "${1%%.*}" ] || {
        set -- "${1#*.}" "${2#*.}"
        [ "${2%%.*}" -ge "${1%%.*}" ]
        return
    }
    [ "${2%%.*}" -gt "${1%%.*}" ]
}

# The folder of LibTorch's libraries in $1: a Python environment's site-packages, torch or torch/lib, or LibTorch unpacked.
library_folder() {
    for each in "$1" "$1/lib" "$1/torch/lib" "$1/libtorch/lib"; do
        [ -e "$each/libtorch_cpu.so" ] || continue
        (cd "$each" && pwd)
        return
    done
    return 1
}

# What the LibTorch in the library folder $1 says that it is, beside the folder or beside what a link leads to.
torch_version() {
    for each in "${1%/*}" "$1/.."; do
        if [ -r "$each/version.py" ]; then
            while IFS= read -r line; do
                case $line in "__version__ = "*) line=${line#*[\'\"]} && printf '%s\n' "${line%%[\'\"]*}" ;; esac
            done <"$each/version.py"
            return
        elif [ -r "$each/build-version" ]; then
            IFS= read -r line <"$each/build-version" || true
            printf '%s\n' "$line"
            return
        fi
    done
}

# Sets torch_folder where the folder $1 holds the LibTorch that is needed; else notes in `sought` why not.
torch_folder="" sought=""
try_torch() {
    folder=$(library_folder "$1") || {
        refuse_torch "$1" "no libtorch_cpu.so"
        return
    }
    found=$(torch_version "$folder")
    case $found in
    "$torch_needed".*) ;;
    "") refuse_torch "$folder" "neither version.py nor build-version beside it says which version it is" && return ;;
    *) refuse_torch "$folder" "version $found" && return ;;
    esac
    for library in $torch_libraries; do
        [ -e "$folder/$library" ] || {
            refuse_torch "$folder" "no $library: this engine needs a LibTorch with CUDA"
            return
        }
    done
    torch_folder=$folder
}
refuse_torch() { sought="$sought
  $1: $2"; }

# Asks a Python where its torch is, without importing it: that takes seconds. A folder `torch` right here does not count.
try_python() {
    python=$(command -v "$1") || {
        refuse_torch "$1" "not on the PATH"
        return 0
    }
    place=$("$python" -c 'import sys
sys.path = [path for path in sys.path if path]
from importlib.util import find_spec
spec = find_spec("torch")
print(spec.submodule_search_locations[0] if spec and spec.submodule_search_locations else "")' 2>/dev/null) || place=""
    if [ -n "$place" ]; then try_torch "$place"; else refuse_torch "$python" "has no torch"; fi
}

find_torch() {
    if [ -n "${DASGD_LIBTORCH:-}" ]; then
        try_torch "$DASGD_LIBTORCH"
    else
        if [ -d "$bundle/libtorch" ]; then try_torch "$bundle/libtorch"; fi
        [ -n "$torch_folder" ] || try_python python3
        [ -n "$torch_folder" ] || try_python python
    fi
    [ -n "$torch_folder" ] || die "LibTorch $torch_needed is needed and was not found. Sought:$sought
Install it (pip install 'torch==$torch_needed.*'), or set DASGD_LIBTORCH to the folder that holds it: a Python environment's
site-packages or torch/lib, or LibTorch unpacked."
    case $torch_folder in *:* | *\;*) die "LibTorch lies in $torch_folder: library paths cannot hold ':' or ';'." ;; esac
}

# The version of the system's C library; nothing where it has another C library.
system_glibc() {
    text=$(getconf GNU_LIBC_VERSION 2>/dev/null) || text=$("$system_loader" --version 2>/dev/null) || text=""
    text=${text%%"
"*}
    text=${text##* }
    printf '%s\n' "${text%.}"
}

# A copy of the engine that names the bundle's own loader, by its absolute path since the kernel knows no other. Made once
# for each engine and each place that the bundle is moved to; its name tells both.
own_program() {
    loader=$bundle/lib/glibc/${system_loader##*/}
    [ "$((${#loader} * 4))" -lt "$loader_room" ] || die "the path of the bundle is too long: $bundle"
    # BusyBox has not every one of them.
    place=$(printf '%s' "$bundle" | { cksum || sha256sum || md5sum; } 2>/dev/null) || die "there is no cksum or sha256sum here."
    program=$bundle/libexec/dasgd-own-glibc-$build-${place%% *}
    [ ! -x "$program" ] || return 0
    part=$(mktemp "$program.XXXXXX" 2>/dev/null) || die "this system's glibc is ${glibc:-unknown} and $glibc_needed is needed. \
The bundle has its own, but must be started once by somebody who can write in $bundle/libexec."
    # Ranks that start together each write a whole file; the last rename stays.
    if ! { cp "$bundle/libexec/dasgd" "$part" && chmod 755 "$part" &&
        printf '%s\0' "$loader" | dd of="$part" bs=1 seek="$loader_offset" conv=notrunc 2>/dev/null &&
        mv -f "$part" "$program"; }; then
        rm -f "$part"
        die "cannot write $program: is the disk full?"
    fi
}

choose_glibc() {
    glibc=$(system_glibc)
    program=$bundle/libexec/dasgd
    libraries=$bundle/lib
    case ${DASGD_GLIBC:-} in
    bundle) own=yes ;;
    system)
        at_least "$glibc_needed" "$glibc" ||
            die "this system's glibc is ${glibc:-unknown} and $glibc_needed is needed: leave DASGD_GLIBC out, the bundle has its own."
        own=no
        ;;
    "") if at_least "$glibc_needed" "$glibc"; then own=no; else own=yes; fi ;;
    *) die "DASGD_GLIBC is '$DASGD_GLIBC': it can be 'bundle' or 'system'." ;;
    esac
    if [ "$own" = yes ]; then
        own_program
        libraries=$bundle/lib/glibc:$libraries
    fi
}

# What `doctor` says of the bundle itself, on stderr since the engine's answer can be JSON.
finding() { printf '%-8s%-12s%s\n' "$@" >&2; }
examine() {
    status=0
    finding ok bundle "dasgd $version in $bundle"
    # BusyBox has no --quiet.
    wrong=$(cd "$bundle" && LC_ALL=C sha256sum -c SHA256SUMS 2>&1 | while IFS= read -r line; do
        case $line in *": OK") ;; *) printf '%s; ' "$line" ;; esac
    done)
    if ! command -v sha256sum >/dev/null; then
        finding note files "not checked: there is no sha256sum here"
    elif [ -z "$wrong" ]; then
        finding ok files "each is as it was bundled"
    else
        finding broken files "unpack the bundle again: ${wrong%; }"
        status=1
    fi
    if [ "$own" = yes ]; then
        finding ok glibc "the bundle's own; $glibc_needed is needed, the system's is ${glibc:-unknown}"
    else
        finding ok glibc "the system's, $glibc; $glibc_needed is needed"
    fi
    finding ok libtorch "$found in $torch_folder"
    missing=$(LD_LIBRARY_PATH=$library_path LD_TRACE_LOADED_OBJECTS=1 "$program" 2>&1 | while read -r line; do
        case $line in *"not found"*) printf '%s ' "${line%% *}" ;; esac
    done)
    if [ -z "$missing" ]; then
        finding ok libraries "all found"
    else
        finding broken libraries "not found: ${missing% }; install torch with its dependencies (pip does, without --no-deps)"
        status=1
    fi
}

find_torch
choose_glibc
# The wheels of NCCL and CUDA lie beside torch: last, so that LD_LIBRARY_PATH can name others.
nvidia=""
for each in "$torch_folder"/../../nvidia/*/lib; do
    [ ! -d "$each" ] || nvidia=$nvidia:$each
done
library_path=$libraries:$torch_folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}$nvidia

if [ "${1:-}" = doctor ]; then
    examine
    LD_LIBRARY_PATH=$library_path "$program" "$@" || status=$?
    exit "$status"
fi
# Not earlier: this system's own tools do not run with the bundle's glibc.
export LD_LIBRARY_PATH="$library_path"
exec "$program" "$@"
