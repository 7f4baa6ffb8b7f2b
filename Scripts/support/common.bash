# Shared by the scripts of this directory; meant to be sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
script=$(basename "$0")

# Where django-oauth-toolkit is installed.
venv="$root/.build/servers/venv"

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

need_swift() {
    command -v swift > /dev/null || die "Swift 6.2 or newer is missing: see https://www.swift.org/install/linux"
}

# Seconds since the shell began, for the reports of long steps.
step() { say "== $* (at ${SECONDS} s)"; }

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
