#!/usr/bin/env bash
# Makes the throw-away certificates of this folder. Run once; the files are kept, so that their numbers stay the same.
set -euo pipefail
cd "$(dirname "$0")"
platform=../../../../tests/fixtures/cases/keys/platform_private_pkcs8.pem
app=../../../../tests/fixtures/cases/keys/app_private_pkcs8.pem
tmp=$(mktemp -d)
dn='/C=CN/O=Yidan Test/OU=Certification Authority'
ca=$'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign'
leaf=$'basicConstraints=critical,CA:FALSE'
key() { openssl genrsa -out "$tmp/$1.key" 2048 2>/dev/null; }
# sign NAME SUBJECT KEY ISSUER EXTENSIONS DAYS
sign() {
    openssl req -new -utf8 -key "$3" -subj "$2" -out "$tmp/$1.csr"
    openssl x509 -req -in "$tmp/$1.csr" -CA "$tmp/$4.crt" -CAkey "$tmp/$4.key" -CAcreateserial -days "$6" -sha256 \
        -extfile <(printf '%s\n' "$5") -out "$tmp/$1.crt" 2>/dev/null
}
root() {
    key "$1"
    openssl req -x509 -new -key "$tmp/$1.key" -subj "$dn/CN=$2" -days 36500 -sha256 -out "$tmp/$1.crt"
}
root root 'Yidan Test R1'
root stranger 'Somebody Else R1'
key issuer; sign issuer "$dn/CN=Yidan Test Class 2 R1" "$tmp/issuer.key" root "$ca" 36500
key foreign; sign foreign "$dn/CN=Yidan Test Class 2 R1" "$tmp/foreign.key" stranger "$ca" 36500
sign app '/C=CN/O=Shop/OU=Alipay/CN=2088000000000001-2021000100000001' "$app" issuer "$leaf" 36500
cp "$app" "$tmp/app.key"
alipay='/C=CN/O=Shop/OU=Alipay/CN=支付宝(中国)网络技术有限公司-2088000000000001'
key old; sign old "$alipay" "$tmp/old.key" issuer "$leaf" 36500
sign renewed "$alipay" "$platform" issuer "$leaf" 36500
sign short "$alipay" "$platform" issuer "$leaf" 1
sign from_stranger "$alipay" "$platform" foreign "$leaf" 36500
sign from_app "$alipay" "$platform" app "$leaf" 36500
cat "$tmp/root.crt" > root.crt
cat "$tmp/app.crt" > app.crt
cat "$tmp/old.crt" "$tmp/issuer.crt" > alipay_old.crt
cat "$tmp/renewed.crt" "$tmp/issuer.crt" > alipay_renewed.crt
cat "$tmp/short.crt" "$tmp/issuer.crt" > alipay_one_day.crt
cat "$tmp/from_stranger.crt" "$tmp/foreign.crt" > alipay_from_stranger.crt
cat "$tmp/from_app.crt" "$tmp/app.crt" "$tmp/issuer.crt" > alipay_from_app.crt
rm -r "$tmp"
