#!/usr/bin/env bash
# Installs the SDKs that other programs use against Alipay, pinned, into target/peers; does nothing if they are there.
set -euo pipefail
cd "$(dirname "$0")"
peers=../../target/peers

wanted=$(cat install.sh package.json package-lock.json official.txt community.txt | sha256sum)
if [ "$(cat "$peers/ready" 2>/dev/null)" = "$wanted" ]; then
    touch "$peers/ready"
    exit
fi
rm -f "$peers/ready"
mkdir -p "$peers/node"

# Both Python SDKs own the package `alipay`: each gets its own environment.
for sdk in official community; do
    rm -rf "${peers:?}/$sdk"
    python3 -m venv "$peers/$sdk"
    "$peers/$sdk/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$sdk.txt"
done
cp package.json package-lock.json "$peers/node/"
npm ci --silent --no-audit --no-fund --ignore-scripts --prefix "$peers/node"
echo "$wanted" >"$peers/ready"
