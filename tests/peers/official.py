"""Alipay's own SDK for Python, driven by lines: one JSON request in, one JSON answer out. It always checks signatures.

Only with keys: it knows no certificates, and does not find the signature behind an answer's `alipay_cert_sn`.
"""

import http.client
import importlib
import json
import os
import sys
import urllib.parse

from alipay.aop.api.AlipayClientConfig import AlipayClientConfig
from alipay.aop.api.DefaultAlipayClient import DefaultAlipayClient
from alipay.aop.api.util import WebUtils
from alipay.aop.api.util.SignatureUtils import get_sign_content, verify_with_rsa
from rsa import VerificationError

PEER = json.loads(os.environ["PEER"])


def connect(url, query_string, timeout):
    """The SDK knows only ports 80 and 443: joining a port to its URL is a TypeError."""
    parts = urllib.parse.urlparse(url)
    return f"{parts.path}?{query_string}", http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)


WebUtils.get_http_connection = connect

config = AlipayClientConfig()
config.server_url = PEER["gateway_url"]
config.app_id = PEER["app_id"]
config.app_private_key = PEER["app_private_key_pkcs1_base64"]
config.alipay_public_key = PEER["alipay_public_key_base64"]
client = DefaultAlipayClient(config)


def call(request):
    name = "".join(word.capitalize() for word in request["method"].split(".")) + "Request"
    wanted = getattr(importlib.import_module("alipay.aop.api.request." + name), name)()
    wanted.biz_content = request["content"]
    if "notify_url" in request:
        wanted.notify_url = request["notify_url"]
    return json.loads(client.execute(wanted))


def verify(fields):
    signed = {name: text for name, text in fields.items() if name not in ("sign", "sign_type")}
    content = get_sign_content(signed).encode("utf-8")
    try:
        return {"genuine": bool(verify_with_rsa(config.alipay_public_key, content, fields["sign"]))}
    except VerificationError:
        return {"genuine": False}


for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = verify(request["verify"]) if "verify" in request else call(request)
    except Exception as error:  # what the SDK refuses is what the test wants to see
        answer = {"refused": repr(error)}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
