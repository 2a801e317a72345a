"""The community's SDK for Python, driven by lines: one JSON request in, one JSON answer out. It always checks signatures."""

import json
import os
import sys

from alipay import AliPay

PEER = json.loads(os.environ["PEER"])

client = AliPay(
    appid=PEER["app_id"],
    app_notify_url=None,
    app_private_key_string=PEER["app_private_key"],
    alipay_public_key_string=PEER["alipay_public_key"],
    sign_type="RSA2",
)
client._gateway = PEER["gateway_url"]  # there is no public way to another gateway


def precreate(request):
    return client.api_alipay_trade_precreate(
        subject=request["subject"],
        out_trade_no=request["out_trade_no"],
        total_amount=request["total_amount"],
        notify_url=request["notify_url"],
    )


def query(request):
    return client.api_alipay_trade_query(out_trade_no=request["out_trade_no"])


def close(request):
    return client.api_alipay_trade_close(out_trade_no=request["out_trade_no"])


def verify(request):
    fields = dict(request["fields"])
    sign = fields.pop("sign")
    return {"genuine": client.verify(fields, sign)}


ACTS = {"precreate": precreate, "query": query, "close": close, "verify": verify}

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = ACTS[request["do"]](request)
    except Exception as error:  # what the SDK refuses is what the test wants to see
        answer = {"refused": repr(error)}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
