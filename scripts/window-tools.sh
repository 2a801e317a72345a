#!/usr/bin/env bash
# What drives the real window: tauri-driver and its client, pinned. Does nothing twice.
set -euo pipefail
cd "$(dirname "$0")/.."
version=2.1.0
if [ ! -x target/tools/bin/tauri-driver ]; then
    echo "installing tauri-driver $version into target/tools (drives the window in tests)" >&2
    cargo install "tauri-driver@$version" --locked --quiet --root target/tools --target-dir target/tools/build
    rm -rf target/tools/build
fi
if [ tests/e2e/package-lock.json -nt tests/e2e/node_modules/.package-lock.json ]; then
    (cd tests/e2e && npm ci --no-audit --no-fund --silent && touch node_modules/.package-lock.json)
fi
