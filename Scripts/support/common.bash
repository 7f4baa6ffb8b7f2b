# Shared by the scripts of this directory; meant to be sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
script=$(basename "$0")

# What only the tests drive, as far as it is not installed on the machine; and where django-oauth-toolkit, supabase-py and
# moto are in it.
server_folder="$root/.build/servers"
venv="$server_folder/venv"

# Nothing that a script tries goes into the keyring of whoever runs it.
unset DBUS_SESSION_BUS_ADDRESS

say() { printf '%s\n' "$*"; }

complain() { printf '%s: %s\n' "$script" "$*" >&2; }

die() {
    complain "$*"
    exit 1
}

# Refuses an option nobody knows, with the usage beside it.
unknown_option() {
    complain "unknown option '$1'"
    usage >&2
    exit 2
}

# The Swift of this machine; what it builds of this package has the desktop's keyring in it where its library is there.
# Consumers, and builds of another kind, choose for themselves.
swift() {
    local argument
    for argument in "$@"; do
        case $argument in
            --package-path | --scratch-path | --configuration | -c | --sanitize* | --traits)
                command swift "$@"
                return
                ;;
        esac
    done
    if [[ ${1:-} == build || ${1:-} == test ]] && has_libsecret; then
        command swift "$1" --traits SecretService "${@:2}"
    else
        command swift "$@"
    fi
}

has_libsecret() { [[ -f /usr/include/libsecret-1/libsecret/secret.h ]]; }

need_swift() {
    type -P swift > /dev/null || die "Swift 6.2 or newer is missing: see https://www.swift.org/install/linux"
}

# Swift, and the packages that building needs: Scripts/setup installs what is missing, or says what it may not install.
# Options are those of Scripts/setup. Where there is no dpkg, the build says what is missing.
need_packages() {
    need_swift
    command -v dpkg-query > /dev/null || return 0
    "$root/Scripts/setup" --check "$@" > /dev/null 2>&1 || "$root/Scripts/setup" "$@" || exit 1
}

# swift build without its progress; its whole output where it fails.
build_quietly() {
    local log status=0
    log=$(mktemp)
    swift build "$@" < /dev/null > "$log" 2>&1 || status=$?
    [[ $status == 0 ]] || cat "$log" >&2
    rm -f "$log"
    [[ $status == 0 ]] || die "the build failed, as told above: swift build $*"
}

# Seconds since the shell began, for the reports of long steps.
step() {
    say "== $* (at ${SECONDS} s)"
    began+=("$SECONDS $*")
}
began=()

# Prints how long the ten longest steps took.
longest_steps() {
    local index next
    for index in "${!began[@]}"; do
        next=${began[index + 1]:-$SECONDS}
        say "$((${next%% *} - ${began[index]%% *})) s ${began[index]#* }"
    done | sort -rn | head -10 | paste -sd, | sed 's/,/, /g'
}

# Prints each suite of the runner's own report and its seconds, the longest first.
suite_times() {
    awk '
        function attribute(name) {
            return match($0, " " name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : ""
        }
        /<testcase / { seconds[attribute("classname")] += attribute("time") }
        END { for (suite in seconds) printf "%s %.1f\n", suite, seconds[suite] }
    ' "$1" | sort -k 2 -rn
}

# Prints the numbers of tests passed, failed and skipped, from the runner's own report (xUnit).
count_tests() {
    awk '
        /<testcase / { tests++ }
        /<failure / && !counted { failed++; counted = 1 }
        /<skipped>/ { skipped++ }
        /<testcase / { counted = 0 }
        END { print tests - failed - skipped, failed + 0, skipped + 0 }
    ' "$1"
}

# Prints a line for each failure of the runner's own report: the test, and the first line of what it said.
failed_tests() {
    awk '
        function attribute(name) {
            return match($0, " " name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : ""
        }
        /<testcase / { test = attribute("classname") "/" attribute("name") }
        /<failure / {
            said = attribute("message")
            sub(/&#10;.*/, "", said)
            gsub(/&#8594;/, "->", said); gsub(/&quot;/, "\"", said); gsub(/&apos;|&#39;/, "\x27", said)
            gsub(/&lt;/, "<", said); gsub(/&gt;/, ">", said); gsub(/&amp;/, "\\&", said)
            print "failed: " test ": " said
        }
    ' "$1"
}

# For checks of the built tool: reads the options --tool FILE and --help, and sets tool.
take_tool() {
    tool=
    while [[ $# != 0 ]]; do
        case $1 in
            --tool)
                [[ $# -ge 2 ]] || unknown_option "--tool without a file"
                tool=$2
                shift
                ;;
            --help | -h) usage && exit 0 ;;
            *) unknown_option "$1" ;;
        esac
        shift
    done
}

# Ends a check that cannot be made on this machine.
cannot() {
    complain "$*"
    exit 3
}

# Ends a check for which there is no Chromium here, or no axe-core, which is read from the file that this sets.
need_chromium() {
    command -v python3 > /dev/null || cannot "python3 is missing: install it"
    command -v chromium > /dev/null || cannot "Chromium is missing: run Scripts/setup --servers"
}

# Chromium, and the rules for what everybody can use.
need_browser() {
    need_chromium
    axe="$server_folder/axe/axe_playwright_python/axe.min.js"
    [[ -f $axe ]] || cannot "axe-core is missing: run Scripts/setup --servers"
}

# Builds the tool, and the development server that it starts.
build_tool() {
    build_quietly --product latchkey
    build_quietly --product latchkey-dev-server
}

# Builds the tool, unless another one is to be checked.
need_tool() {
    if [[ -z $tool ]]; then
        need_packages
        cd "$root"
        build_tool
        tool="$(swift build --show-bin-path)/latchkey"
    fi
    [[ -x $tool ]] || die "there is no program $tool"
    tool=$(readlink -f "$tool")
}

# Puts a redis-server on the path, if there is one. The server is the same program as its check of files, which comes
# without a service that is started at once.
find_redis() {
    type -P redis-server > /dev/null && return
    local check
    check=$(type -P redis-check-rdb) || return 1
    mkdir -p "$root/.build/redis"
    ln -sf "$check" "$root/.build/redis/redis-server"
    export PATH="$root/.build/redis:$PATH"
}
