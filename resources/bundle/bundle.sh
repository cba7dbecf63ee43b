#!/usr/bin/env bash
# bundle.sh PROGRAM FOLDER: makes FOLDER/dasgd-VERSION-ARCH and its .tar.gz, with which the built engine PROGRAM, and the
# module for GPUs beside it, run on machines that have LibTorch and nothing else of ours. `./lab bundle` calls it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$here/../.." && pwd)
limit_mib=64
# Room for the absolute path of the bundle's own loader in the engine's file.
loader_room=4096
# Libraries that are compiled into the engine, by the packages that have their terms.
static_packages=(libcli11-dev libexpected-dev libgloo-dev libsqlitecpp-dev libssl-dev libtomlplusplus-dev nlohmann-json3-dev)

die() {
    printf 'bundle: %s\n' "$*" >&2
    exit 1
}

# LibTorch, CUDA and NCCL are the machine's own, whose driver they must suit.
is_apart() {
    case "$1" in
    linux-vdso* | libtorch* | libc10* | libcuda* | libcublas* | libcudnn* | libcufft* | libcurand* | libcusolver* | \
        libcusparse* | libcupti* | libnccl* | libnv*) return 0 ;;
    esac
    [[ $2 == "$torch_site"/* ]]
}
is_glibc() {
    case "$1" in
    ld-linux* | libc.so.* | libm.so.* | libmvec.so.* | libpthread.so.* | libdl.so.* | librt.so.* | libutil.so.* | \
        libresolv.so.*) return 0 ;;
    esac
    return 1
}

# The package of a file, as dpkg knows it: under /lib or under /usr/lib.
package_of() {
    local path
    path=$(readlink -f "$1")
    { dpkg-query -S "$path" "${path#/usr}" 2>/dev/null || true; } | sed -n '1s/:.*//p' | grep . ||
        die "no package owns $path: its licence is not known, so it cannot be bundled."
}

# Copies a library under the name by which others ask for it, and notes its package.
add_library() {
    local name=$1 path=$2 folder=$3 package
    package=$(package_of "$path")
    install -m 755 "$path" "$bundle/$folder/$name"
    printf '%s\t%s\t' "$folder/$name" "$package" >>"$notes"
    dpkg-query -W -f '${Version}\n' "$package" | sed -n 1p >>"$notes"
}

add_libraries() {
    local name path unmet
    unmet=$(ldd "$program" | sed -n 's/ => not found//p')
    [ -z "$unmet" ] || die "$program lacks libraries here: $(tr -s '[:space:]' ' ' <<<"$unmet")"
    while read -r name path; do
        if is_apart "$name" "$path"; then continue; fi
        if is_glibc "$name"; then
            add_library "$name" "$path" lib/glibc
        else
            add_library "$name" "$path" lib
        fi
    done < <(ldd "$program" | sed -nE 's/^\s*(\S+) => (\/\S+) .*/\1 \2/p')
    # Loaded while the engine runs: by name look-ups, and by LibTorch.
    local libc
    libc=$(ldd "$program" | sed -nE 's/^\s*libc\.so\.6 => (\/\S+) .*/\1/p')
    for name in libresolv.so.2 libpthread.so.0 libdl.so.2 librt.so.1 libutil.so.1; do
        [ -e "$bundle/lib/glibc/$name" ] || add_library "$name" "$(dirname "$libc")/$name" lib/glibc
    done
    add_library "$(basename "$loader")" "$loader" lib/glibc
}

add_program() {
    local target=$bundle/libexec/dasgd placeholder
    install -m 755 "$program" "$target"
    strip "$target"
    patchelf --remove-rpath "$target"
    # As long as the room; then the system's loader is named again, with zeros behind it.
    placeholder=/$(printf '%*s' $((loader_room - 2)) '' | tr ' ' x)
    patchelf --set-interpreter "$placeholder" "$target"
    loader_offset=$(($(readelf -lW "$target" | awk '$1 == "INTERP" { print $2 }')))
    /usr/bin/python3 - "$target" "$loader_offset" "$loader_room" "$loader" <<'PYTHON'
import sys
path, offset, room, loader = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4].encode()
with open(path, "r+b") as program:
    program.seek(offset)
    if program.read(room) != b"/" + b"x" * (room - 2) + b"\0":
        sys.exit("bundle: the engine's loader is not where readelf says")
    program.seek(offset)
    program.write(loader.ljust(room, b"\0"))
PYTHON
}

# Found beside the engine at run time. What it needs but the engine does not is LibTorch's and CUDA's.
add_module() {
    local target=$bundle/libexec/dasgd_cuda.so name
    [ -f "$module" ] || die "$module is missing, without which nothing runs on a GPU: ./lab build makes it."
    install -m 755 "$module" "$target"
    strip --strip-unneeded "$target"
    patchelf --remove-rpath "$target"
    while read -r name; do
        if is_apart "$name" "" || is_glibc "$name" || [ -e "$bundle/lib/$name" ]; then continue; fi
        die "$module needs $name, which the engine does not bring."
    done < <(readelf -dW "$target" | sed -nE 's/.*NEEDED.*\[(.*)\].*/\1/p')
}

# The newest glibc that a file of the bundle asks for.
needed_glibc() {
    { for each in "$bundle"/libexec/dasgd* "$bundle"/lib/*.so*; do readelf -VW "$each"; done; } |
        sed -nE 's/.*Name: GLIBC_([0-9.]+) .*/\1/p' | sort -V | tail -n 1
}

add_licences() {
    local package text common
    cp "$source/LICENSE" "$bundle/LICENSE"
    while read -r package; do
        text=/usr/share/doc/$package/copyright
        [ -r "$text" ] || die "$text is missing: without the licence $package cannot be bundled."
        cp -L "$text" "$bundle/licences/$package"
    done < <({ cut -f 2 "$notes" && printf '%s\n' "${static_packages[@]}"; } | sort -u)
    # Packages of one source have one text, which is there once.
    local sum
    local -A first=()
    while read -r sum text; do
        if [ -n "${first[$sum]:-}" ]; then ln -f "${first[$sum]}" "$text"; else first[$sum]=$text; fi
    done < <(find "$bundle/licences" -maxdepth 1 -type f -exec sha256sum {} +)
    while read -r common; do
        [ ! -r "$common" ] || cp -L "$common" "$bundle/licences/common/"
    done < <(grep -rhoE '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$bundle/licences" | sort -u)
}

# Fills in the words @LIKE_THIS@.
fill() {
    sed -e "s|@VERSION@|$version|g; s|@COMMIT@|$commit|g; s|@ARCH@|$arch|g; s|@NAME@|$name|g; s|@GLIBC@|$glibc|g" \
        -e "s|@TORCH@|${torch_version%.*}|g; s|@TORCH_LIBRARIES@|$torch_libraries|g; s|@LOADER@|$loader|g" \
        -e "s|@BUILD@|${build_id:0:12}|g; s|@LOADER_OFFSET@|$loader_offset|g; s|@LOADER_ROOM@|$loader_room|g" "$1"
}

add_manifest() {
    /usr/bin/python3 - "$bundle" "$notes" "$version" "$commit" "$arch" "$glibc" "$torch_version" "$build_id" <<'PYTHON'
import hashlib, json, os, sys
bundle, notes, version, commit, arch, glibc, torch, build_id = sys.argv[1:]
with open(notes) as lines:
    packages = {path: (package, its) for path, package, its in (line.rstrip("\n").split("\t") for line in lines)}
files = []
for folder, _, names in os.walk(bundle):
    for name in names:
        path = os.path.join(folder, name)
        short = os.path.relpath(path, bundle)
        with open(path, "rb") as content:
            entry = {"path": short, "bytes": os.path.getsize(path), "sha256": hashlib.sha256(content.read()).hexdigest()}
        if short in packages:
            entry["package"], entry["package_version"] = packages[short]
        files.append(entry)
files.sort(key=lambda entry: entry["path"])
with open(os.path.join(bundle, "manifest.json"), "w") as out:
    json.dump({"name": "dasgd", "version": version, "commit": commit, "arch": arch, "glibc": glibc,
               "built_with_torch": torch, "build_id": build_id, "files": files}, out, indent=1)
    out.write("\n")
PYTHON
    (cd "$bundle" && find . -type f ! -name SHA256SUMS -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum) >"$bundle.sums"
    mv "$bundle.sums" "$bundle/SHA256SUMS"
}

[ $# -eq 2 ] || die "call it as bundle.sh PROGRAM FOLDER"
{ [ -f "$1" ] && [ -x "$1" ]; } || die "there is no engine at $1: ./lab build makes it."
for tool in patchelf strip readelf ldd dpkg-query; do
    command -v "$tool" >/dev/null || die "$tool is missing: ./lab bundle installs it."
done
program=$(readlink -f "$1")
module=$(dirname "$program")/dasgd_cuda.so
mkdir -p "$2" 2>/dev/null || die "cannot make the folder $2."
folder=$(cd "$2" && pwd)

torch_lib=$(ldd "$program" | sed -nE 's/^\s*libtorch_cpu\.so => (\/\S+)\/libtorch_cpu\.so .*/\1/p')
[ -n "$torch_lib" ] || die "$program finds no LibTorch here."
torch_site=$(readlink -f "$torch_lib/../..")
torch_version=$(sed -n "s/^__version__ = '\([0-9.]*\).*/\1/p" "$torch_lib/../version.py")
[ -n "$torch_version" ] || die "$torch_lib/../version.py does not say which LibTorch it is."
torch_libraries=$(readelf -dW "$program" | sed -nE 's/.*NEEDED.*\[(lib(torch|c10)[^]]*)\].*/\1/p' | tr '\n' ' ' | sed 's/ $//')
loader=$(readelf -lW "$program" | sed -nE 's/.*program interpreter: (.*)\]/\1/p')
build_id=$(readelf -nW "$program" | sed -n 's/.*Build ID: //p')
[ -n "$build_id" ] || die "$program has no build id, by which ranks know that they run the same engine."
version=$("$program" --version)
arch=$(uname -m)
commit=$(git -C "$source" describe --always --dirty 2>/dev/null || echo "no commit")
name=dasgd-$version-$arch

work=$(mktemp -d "$folder/.bundle-XXXXXX") || die "cannot write in $folder."
trap 'rm -rf "$work"' EXIT
bundle=$work/$name notes=$work/notes
mkdir -p "$bundle"/{bin,lib/glibc,libexec,licences/common,share/suites}
chmod 755 "$work"

add_program
add_libraries
add_module
add_licences
cp "$source"/experiments/suites/* "$bundle/share/suites/"
glibc=$(needed_glibc)
fill "$here/launcher.sh" >"$bundle/bin/dasgd"
chmod 755 "$bundle/bin/dasgd"
fill "$here/README.txt" >"$bundle/README.txt"
add_manifest

mib=$(du -sm --apparent-size "$bundle" | cut -f 1)
[ "$mib" -le "$limit_mib" ] || die "the bundle has $mib MiB, and $limit_mib are allowed."
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner -I 'gzip -n' -cf "$work/$name.tar.gz" "$name"
rm -rf "${folder:?}/$name"
mv -f "$bundle" "$work/$name.tar.gz" "$folder/"
printf '%s\n' "$folder/$name.tar.gz"
printf 'bundle: %s MiB, packed %s MiB; needs LibTorch %s, brings a glibc for systems older than %s\n' \
    "$mib" "$(du -m "$folder/$name.tar.gz" | cut -f 1)" "${torch_version%.*}" "$glibc" >&2
