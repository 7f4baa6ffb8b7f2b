# The programs as they are shipped; meant to be sourced after common.bash.
#
# Swift's runtime and that of C++ are inside. It is small rather than fast, because what it waits for is the disk and the network; equal
# functions are one; nothing of it is visible to libraries, so the linker may drop what no command uses; and its table
# of relocations is short, which glibc reads since 2.36.
release_flags=(
    --configuration release --static-swift-stdlib
    -Xswiftc -Osize -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -Os -Xswiftc -use-ld=lld
    -Xlinker --as-needed -Xlinker --icf=all -Xlinker "--version-script=$root/Scripts/support/release.map"
    -Xlinker -z -Xlinker pack-relative-relocs
    -Xswiftc -Xclang-linker -Xswiftc -static-libgcc -Xswiftc "-L$root/.build/release-tool.static"
)

# Copies what pkg-config knows of a package and of those that it requires, but for the libraries: the keyring's are loaded
# when they are needed, and must not be linked only because their headers are used.
describe_headers() {
    local folder=$1 name
    mkdir -p "$folder"
    for name in "$2" $(pkg-config --print-requires "$2" | awk '{ print $1 }'); do
        [[ ! -f $folder/$name.pc ]] || continue
        sed '/^Libs/d' "$(pkg-config --variable=pcfiledir "$name")/$name.pc" > "$folder/$name.pc"
        [[ $name == "$2" ]] || describe_headers "$folder" "$name"
    done
}

# Builds the program of that name, and writes it to the file, stripped.
build_release() {
    local program=$1 log status=0
    local flags=(--package-path "$root" --scratch-path "$root/.build/release-tool" "${release_flags[@]}" --product "$program")
    command -v strip > /dev/null || die "strip is missing: install binutils"
    # The linker takes the static library where it finds no other in an earlier folder.
    mkdir -p "$root/.build/release-tool.static"
    ln -sf "$(clang -print-file-name=libstdc++.a)" "$root/.build/release-tool.static/"
    # The help names the desktop's keyring, so what is shipped has it. Its library is loaded when it is needed.
    has_libsecret || die "libsecret-1-dev is missing, which the keyring's part of the tool is compiled with"
    describe_headers "$root/.build/release-tool.pkgconfig" libsecret-1
    flags+=(--traits SecretService --pkg-config-path "$root/.build/release-tool.pkgconfig")
    log=$(mktemp)
    swift build "${flags[@]}" < /dev/null > "$log" 2>&1 || status=$?
    [[ $status == 0 ]] || cat "$log" >&2
    rm -f "$log"
    [[ $status == 0 ]] || die "the build failed, as told above"
    strip -o "$2" "$root/.build/release-tool/release/$program"
}
