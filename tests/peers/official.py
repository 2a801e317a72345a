"""Alipay's own SDK for Python, driven by lines: one JSON request in, one JSON answer out. It always checks signatures."""

import http.client
import json
import os
import sys
import urllib.parse

from alipay.aop.api.AlipayClientConfig import AlipayClientConfig
from alipay.aop.api.DefaultAlipayClient import DefaultAlipayClient
from alipay.aop.api.request.AlipayTradeCloseRequest import AlipayTradeCloseRequest
from alipay.aop.api.request.AlipayTradePrecreateRequest import AlipayTradePrecreateRequest
from alipay.aop.api.request.AlipayTradeQueryRequest import AlipayTradeQueryRequest
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


def call(request, content, notify_url=None):
    request.biz_content = content
    if notify_url:
        request.notify_url = notify_url
    return json.loads(client.execute(request))


def precreate(request):
    content = {name: request[name] for name in ("out_trade_no", "subject", "total_amount")}
    return call(AlipayTradePrecreateRequest(), content, request["notify_url"])


def query(request):
    return call(AlipayTradeQueryRequest(), {"out_trade_no": request["out_trade_no"]})


def close(request):
    return call(AlipayTradeCloseRequest(), {"out_trade_no": request["out_trade_no"]})


def verify(request):
    fields = dict(request["fields"])
    sign = fields.pop("sign")
    fields.pop("sign_type")
    content = get_sign_content(fields).encode("utf-8")
    try:
        return {"genuine": bool(verify_with_rsa(config.alipay_public_key, content, sign))}
    except VerificationError:
        return {"genuine": False}


ACTS = {"precreate": precreate, "query": query, "close": close, "verify": verify}

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = ACTS[request["do"]](request)
    except Exception as error:  # what the SDK refuses is what the test wants to see
        answer = {"refused": repr(error)}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
