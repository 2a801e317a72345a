#!/usr/bin/env bash
# `make run`: sandbox, headquarters and the counter in demo mode, already enrolled. No real money, nothing leaves this
# computer. Without a display it plays one sale in the same window and ends with its result. Ctrl-C stops everything.
set -euo pipefail
cd "$(dirname "$0")/.."
place=.demo
no_display=
[ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || no_display=yes

say() { printf '%s\n' "$*"; }

# name:why; only what is missing is installed, and only by the system's own package manager.
needed=(
    "build-essential:the C compiler, for SQLite and cryptography" "pkg-config:finds the libraries below"
    "file:names files when packaging" "libssl-dev:headers" "libwebkit2gtk-4.1-dev:the window's web view"
    "libayatana-appindicator3-dev:headers of Tauri" "librsvg2-dev:icons" "libxdo-dev:headers of Tauri"
    "fonts-noto-cjk:Chinese letters" "dbus:one window per shop" "xdg-utils:opens the customer's phone in your browser"
)
on_nobodys_screen=(
    "xvfb:a screen that nobody sees" "xauth:lets programs use it" "dbus-x11:its session bus"
    "webkit2gtk-driver:presses the keys" "imagemagick:pictures"
)

install_missing() {
    command -v apt-get >/dev/null || return 0
    local entry missing=()
    for entry in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "${entry%%:*}" 2>/dev/null)" = installed ] || missing+=("$entry")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "Installing with apt-get:"
    for entry in "${missing[@]}"; do say "  ${entry%%:*} (${entry#*:})"; done
    local root=()
    [ "$(id -u)" -eq 0 ] || root=(sudo)
    "${root[@]}" apt-get update -q
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]%%:*}"
}

require() { command -v "$1" >/dev/null || { say "$1 is missing: $2" >&2; exit 1; }; }

started=()
stop_all() {
    local pid
    for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
}
trap stop_all EXIT
trap 'exit 130' INT TERM

# start NAME PROGRAM ARGUMENTS…: runs it in the background and waits for the line that says that it is ready.
start() {
    local name=$1
    shift
    target/debug/"$@" --ready-file "$place/$name.ready" >/dev/null 2>"$place/$name.log" &
    started+=($!)
    for _ in $(seq 300); do
        [ -s "$place/$name.ready" ] && return
        kill -0 "${started[-1]}" 2>/dev/null || break
        sleep 0.1
    done
    say "$name does not start; its words are in $place/$name.log" >&2
    tail -5 "$place/$name.log" >&2
    exit 1
}

# of FILE MEMBER: one member of a line of JSON.
of() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))[process.argv[2]]' "$1" "$2"; }

write_merchant() {
    node -e '
        fetch(process.argv[1] + "/sandbox/merchant").then((answer) => answer.json()).then((m) => console.log(
            `app_id = "${m.app_id}"\nseller_id = "${m.seller_id}"\nmode = "demo"\nalipay_public_key = "${m.alipay_public_key_base64}"`))
    ' "$1" >"$place/merchant.toml"
}

require cargo "install Rust from https://rustup.rs"
require node "install Node 20 or later"
require npm "install Node 20 or later"
install_missing "${needed[@]}"
[ -z "$no_display" ] || install_missing "${on_nobodys_screen[@]}"
say "Building the pages and the programs; the first time takes some minutes."
make --no-print-directory ui >/dev/null
cargo build --workspace --locked --bins
[ -z "$no_display" ] || scripts/window-tools.sh

rm -rf "$place"
mkdir -m 700 "$place"
start sandbox yidan-sandbox --listen 127.0.0.1:0 --data "$place/sandbox"
sandbox_url=$(of "$place/sandbox.ready" control_url)
sandbox_url=${sandbox_url%/sandbox}
write_merchant "$sandbox_url"
node -p 'require("crypto").randomBytes(24).toString("hex")' >"$place/admin-token"
start hq yidan-hq serve --demo --listen 127.0.0.1:0 --data "$place/hq" --merchant "$place/merchant.toml" \
    --admin-token-file "$place/admin-token"
hq_url=$(of "$place/hq.ready" url)
password=$(target/debug/yidan-hq user add --data "$place/hq" boss 2>/dev/null)
code=$(target/debug/yidan-hq enrol-code --data "$place/hq" --store S01 --store-name 演示店 2>/dev/null)
RUST_LOG=warn target/debug/yidan enrol "--demo=$sandbox_url" --data "$place/till" --hq "$hq_url" --code "$code" >/dev/null

say ""
say "The customer's phone:  $sandbox_url/"
say "Headquarters:          $hq_url/   (boss, $password)"
say "The counter's files:   $place/till"
say ""
if [ -z "$no_display" ]; then
    say "The window opens. Type an amount, press Enter, then pay on the customer's phone. Ctrl-C stops everything."
    target/debug/yidan "--demo=$sandbox_url" --data "$place/till" 2>"$place/counter.log"
else
    say "No display: one sale is played in the same window on a screen that nobody sees."
    export SANDBOX_URL=$sandbox_url HQ_URL=$hq_url HQ_TOKEN_FILE=$place/admin-token TILL=$place/till
    LIMIT=120 scripts/e2e.sh sale 2>"$place/counter.log" || { cat "$place/counter.log" >&2; exit 1; }
    say "One sale: paid at the counter, charged once, counted once."
fi
