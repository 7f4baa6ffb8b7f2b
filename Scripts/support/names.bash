# The parts of Scripts/verify names; meant to be sourced, never run.

# The package of the check and all that it builds.
work="$root/.build/names"
scratch="$work/.build"
folder="$root/Tests/Names"

# The compiler itself: what is read from its modules is read again when it is another one.
compiler=$(readlink -f "$(type -P swift)")
triple=$(swift -print-target-info | sed -nE 's/.*"triple": "([^"]*)".*/\1/p' | head -1) \
    || die "swift does not know its target"

# Swift's modules of which a file may be beside ours, those that are imported unasked included.
toolchain_modules=(
    Swift _Concurrency _StringProcessing _Differentiation Cxx Dispatch Distributed Foundation FoundationEssentials
    FoundationInternationalization FoundationNetworking FoundationXML Observation RegexBuilder Runtime Synchronization
    Testing XCTest
)

# Writes standard input to a file, unless that is what it says already: what is not touched is not built again.
write_file() {
    mkdir -p "$(dirname "$1")"
    cat > "$work/new"
    if cmp --silent "$1" "$work/new"; then rm "$work/new"; else mv "$work/new" "$1"; fi
}

# Puts the package together, without what is generated from names.
assemble_package() {
    write_file "$work/Package.swift" < "$folder/Package.swift"
    write_file "$work/Products/Products.swift" <<< "// Nothing: this target builds the library products."
    write_file "$work/Beside/Beside.swift" < "$folder/Beside/Beside.swift"
    # A scratch path of its own, as the checkout's may be in use.
    swift package --scratch-path "$scratch" describe --type text < /dev/null 2> "$work/log" \
        | awk '
            /^Products:/ { on = 1 }
            /^Targets:/ { on = 0; targets = 1 }
            on && $1 == "Name:" { name = $2 }
            on && $1 == "Library:" { products[name] }
            # A bundle of several modules has no module of its own.
            targets && $1 == "Name:" && $2 in products { print $2 }
        ' | write_file "$work/products.txt"
    [[ -s $work/products.txt ]] || { cat "$work/log" && die "Package.swift names no library product"; }
    mkdir -p "$work/Stubs"
}

build_target() {
    # The manifest reads folders, which its cache does not know of; and without planning anew, a file that was added to a
    # package that this one depends on is not seen.
    swift build --manifest-cache none --disable-build-manifest-caching --package-path "$work" --scratch-path "$scratch" \
        --target "$1" < /dev/null > "$work/log" 2>&1
}

build_products() { build_target Products || { cat "$work/log" && die "the library products do not build"; }; }

# Where the compiled modules lie, and the maps of the C libraries that they need.
search_paths() {
    local built="$scratch/debug"
    printf '%s\n' -I "$built/Modules"
    local map
    for map in "$root"/Sources/CModules/*/module.modulemap "$built"/*.build/module.modulemap; do
        [[ ! -f $map ]] || printf '%s\n' -I "$(dirname "$map")"
    done
}

# Writes a module's symbol graphs to a folder, unless they are newer than the module.
extract() {
    local module=$1 compiled=$2 graphs=$3
    shift 3
    [[ ! $graphs/$module.done -nt $compiled ]] || return 0
    rm -f "$graphs/$module.symbols.json" "$graphs/$module"@*.symbols.json
    mkdir -p "$graphs"
    "$(dirname "$compiler")/swift-symbolgraph-extract" -module-name "$module" -target "$triple" -minimum-access-level public \
        -output-dir "$graphs" "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2 && die "$module has no symbol graph"; }
    touch "$graphs/$module.done"
}

# Each top-level symbol of a symbol graph, its name alone: its path has one part.
top_level() {
    [[ $# != 0 ]] || return 0
    { grep --only-matching --no-filename '"pathComponents":\["[^"]*"\]' "$@" || true; } \
        | sed -E 's/.*\["([^"(]*).*/\1/' | sort --unique
}

# NAME MODULE for each public name of the library products, and TYPE.MEMBER MODULE for what they add to others' types.
our_names() {
    local module extended graph
    local paths=()
    mapfile -t paths < <(search_paths)
    while read -r module; do
        extract "$module" "$scratch/debug/Modules/$module.swiftmodule" "$work/graphs" "${paths[@]}"
        top_level "$work/graphs/$module.symbols.json" | sed "s/\$/ $module/"
        for graph in "$work/graphs/$module"@*.symbols.json; do
            [[ -f $graph ]] || continue
            extended=$(basename "$graph" .symbols.json)
            extended=${extended#*@}
            grep --quiet --line-regexp "$extended" "$work/products.txt" || members "$graph" "$module" "$extended"
        done
    done < "$work/products.txt"
}

# TYPE.MEMBER MODULE OWNER for each member in the symbol graph of an extended module.
members() {
    { grep --only-matching '"pathComponents":\["[^]]*\]' "$1" || true; } \
        | sed -E 's/.*\[//; s/"//g; s/\]//; s/,/./g' | sort --unique | sed "s/\$/ $2 $3/"
}

# The top-level names of a module of the toolchain; those of _Concurrency and others the graph counts as Swift's.
toolchain_names() {
    local graph graphs=()
    for graph in "$work/toolchain/$1".symbols.json "$work/toolchain/$1"@*.symbols.json; do
        [[ ! -f $graph ]] || graphs+=("$graph")
    done
    top_level "${graphs[@]}"
}

# NAME MODULE for each name that is taken, our own modules' included: a type called like its module hides the module.
reserved_names() {
    local module file
    for module in "${toolchain_modules[@]}"; do
        extract "$module" "$compiler" "$work/toolchain"
        toolchain_names "$module" | sed "s/\$/ $module/"
        say "$module $module"
    done
    while read -r module; do say "$module $module"; done < "$work/products.txt"
    for file in "$folder"/Reserved/*.txt; do
        module=$(basename "$file" .txt)
        { grep --invert-match '^#' "$file" || true; } | sed "s/\$/ $module/"
        [[ $module == Everyday ]] || say "$module $module"
    done
}

# A line for each of our names that is taken.
collisions() {
    awk '
        NR == FNR { if (NF == 2) theirs[$1] = theirs[$1] (theirs[$1] == "" ? "" : ",") $2; next }
        NF == 3 { print $1 "  ours=" $2 "  theirs=" $3 }
        NF == 2 && $1 in theirs { print $1 "  ours=" $2 "  theirs=" theirs[$1] }
    ' "$2" "$1"
}

# Declares the reserved names in a module each. What two of them declare is declared in the first alone, and what the
# toolchain declares not at all: between themselves they may be ambiguous, and that is not ours to say.
write_stubs() {
    local module file
    for file in "$work"/Stubs/*; do
        [[ -f $folder/Reserved/$(basename "$file").txt ]] || rm -rf "$file"
    done
    for module in "${toolchain_modules[@]}"; do toolchain_names "$module"; done | sort --unique > "$work/declared.txt"
    for file in "$folder"/Shapes/*.swift; do
        module=$(basename "$file" .swift)
        write_file "$work/Stubs/$module/Shapes.swift" < "$file"
        sed -nE 's/^(@[A-Za-z]+ )?public (final )?(struct|class|enum|protocol|actor|func|typealias) ([A-Za-z0-9_]+).*/\4/p' \
            "$file" >> "$work/declared.txt"
    done
    for file in "$folder"/Reserved/*.txt; do
        module=$(basename "$file" .txt)
        [[ $module != Everyday ]] || continue
        { grep --invert-match '^#' "$file" || true; } | sort --unique \
            | grep --invert-match --line-regexp --fixed-strings --file="$work/declared.txt" > "$work/declaring.txt" || true
        awk '{ print ($1 ~ /^[a-z]/ ? "public func " $1 "() {}" : "public enum " $1 " {}") }' "$work/declaring.txt" \
            | write_file "$work/Stubs/$module/Names.swift"
        cat "$work/declaring.txt" >> "$work/declared.txt"
        expect_import "$module" || return 1
    done
    while read -r module; do expect_import "$module" || return 1; done < "$work/products.txt"
}

expect_import() {
    grep --quiet --line-regexp "import $1" "$folder/Beside/Beside.swift" \
        || { complain "Tests/Names/Beside/Beside.swift does not import $1" && return 1; }
}

# A file with the same imports that mentions each of our types, and each function, by its name alone.
write_mentions() {
    {
        grep --extended-regexp '^(@[a-z]+ )?import ' "$folder/Beside/Beside.swift"
        awk 'NF == 2 && $1 ~ /^[A-Z]/ { print "typealias Mention" NR " = " $1 }' "$work/ours.txt"
    } | write_file "$work/Beside/Mentions.swift"
}

build_consumer() {
    build_target Beside && return
    # The lines that begin with a file; what the compiler draws below them says the same again.
    grep --extended-regexp '^[^ ].*(error|warning): ' "$work/log" | sed "s|$work/||" | sort --unique | head -60
    return 1
}

# Puts names back that collide, in a copy of the sources, and expects both parts to say so.
prove_names() {
    local copy="$root/.build/names-proof" status=0 missing=0 expected
    mkdir -p "$copy"
    find "$copy" -mindepth 1 -maxdepth 1 ! -name .build -exec rm -rf {} +
    tar --create --exclude=./.build --exclude=./.git . | tar --extract --directory "$copy"
    printf '%s\n' 'public struct Binding {}' 'public enum Observation {}' \
        'extension String { public var oldName: String { self } }' > "$copy/Sources/Latchkey/OldNames.swift"
    "$copy/Scripts/verify" names > "$root/.build/names-proof.log" 2>&1 || status=$?
    cat "$root/.build/names-proof.log"
    [[ $status == 1 ]] || die "exit status $status in place of 1"
    for expected in \
        '^Binding  ours=Latchkey  theirs=.*SwiftUI' \
        '^Observation  ours=Latchkey  theirs=Observation' \
        '^String\.oldName  ours=Latchkey  theirs=Swift' \
        "error: 'Binding' is ambiguous" \
        "error: 'Observable' is not a member type of enum 'Latchkey.Observation'" \
        '^public=[0-9]* collisions=3 consumer=fails$'; do
        grep --quiet "$expected" "$root/.build/names-proof.log" || { complain "not found: $expected" && missing=1; }
    done
    [[ $missing == 0 ]] || return 1
    say "put back=3 found=3 consumer=fails"
}
