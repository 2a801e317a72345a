#!/usr/bin/env bash
# The story of the real window, on a screen that nobody sees. Expects the programs and the pages to be built.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/window-tools.sh
# Its own screen, session bus and time limit: nothing can hang, and nothing is shared with another run.
exec timeout --kill-after=10 "${LIMIT:-240}" \
    xvfb-run -a -s "-screen 0 1366x768x24 -nolisten tcp" dbus-run-session -- node tests/e2e/"${1:-story}".mjs
