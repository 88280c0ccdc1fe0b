"""Verifies a line of JSON, {secret, headers, body}, and says "ok"."""

import json
import sys

from standardwebhooks import Webhook

letter = json.load(sys.stdin)
event = Webhook(letter["secret"]).verify(letter["body"], letter["headers"])
assert isinstance(event["type"], str)
print("ok")
