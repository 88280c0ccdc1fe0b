"""How schemathesis asks: with credentials that open each endpoint, about an app that exists, and from addresses that differ,
for failed authentications are counted by address."""

import itertools
import json
import os
import urllib.request

import schemathesis

URL, APP, KEY, SESSION = (os.environ[name] for name in ("HATO_URL", "HATO_APP", "HATO_KEY", "HATO_SESSION"))
ACCOUNT = {"email": os.environ["HATO_EMAIL"], "password": os.environ["HATO_PASSWORD"]}

numbers = itertools.count(1)


def address():
    number = next(numbers)
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def new_session():
    """For whoever ends it."""
    headers = {"X-Forwarded-For": address()}
    request = urllib.request.Request(URL + "/auth/login", json.dumps(ACCOUNT).encode(), headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)["session_token"]


def schemes(operation):
    return [name for way in operation.definition.raw.get("security", []) for name in way]


@schemathesis.auth(refresh_interval=None)
class Credential:
    def get(self, case, context):
        if case.operation.path == "/auth/logout":
            return new_session()
        return KEY if schemes(case.operation) == ["apiKey"] else SESSION

    def set(self, case, data, context):
        if schemes(case.operation):
            case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}


def deletes_the_app(operation):
    return operation.method.upper() == "DELETE" and operation.path == "/api/v1/apps/{appId}"


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """The app that exists, but for what would delete it."""
    if path_parameters and "appId" in path_parameters and not deletes_the_app(context.operation):
        path_parameters["appId"] = APP
    return path_parameters


@schemathesis.hook
def before_call(context, case, **kwargs):
    case.headers = {**(case.headers or {}), "X-Forwarded-For": address()}
    if deletes_the_app(case.operation) and case.path_parameters.get("appId") == APP:
        case.path_parameters["appId"] = "app_of_nobody"
