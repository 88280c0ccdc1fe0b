"""Uses every tool through the official Python client, and prints what came back as JSON."""

import asyncio
import json
import os

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

URL = os.environ["HATO_URL"] + "/mcp"
CREDENTIAL = {"Authorization": "Bearer " + os.environ["HATO_KEY"]}


async def main():
    async with (
        httpx2.AsyncClient(headers=CREDENTIAL) as http,
        Client(streamable_http_client(URL, http_client=http)) as client,
    ):

        async def call(name, arguments=None):
            result = await client.call_tool(name, arguments or {})
            return {
                "text": result.content[0].text,
                "structured": result.structured_content,
                "isError": bool(result.is_error),
            }

        tools = (await client.list_tools()).tools
        created = await call("create_api_key", {"name": "from a client", "scope": "notify"})
        told = {
            "tools": [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools],
            "created": created,
            "keys": await call("list_api_keys"),
            "deleted": await call("delete_api_key", {"key_id": created["structured"]["id"]}),
            "sent": await call("send_notification", {"title": "Hello", "body": "from a client"}),
            "stats": await call("get_stats"),
            "sends": await call("list_notifications", {"limit": 1}),
            "refused": await call("create_api_key", {"name": "x", "scope": "root"}),
        }
        print(json.dumps(told))


asyncio.run(main())
