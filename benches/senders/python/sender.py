"""pywebpush with one aiohttp session: told over standard input from which subscription on to send, and how many."""

import asyncio
import json
import ssl
import sys

import aiohttp
from py_vapid import Vapid02
from pywebpush import webpush_async

CONCURRENCY = 100


class Sender:
    def __init__(self, config, session):
        self.config = config
        self.session = session
        self.key = Vapid02.from_raw(config["private_key"].encode())

    async def send(self, start, count):
        """Sends to `count` subscriptions and returns how many were not taken."""
        pending = iter(self.config["subscriptions"][start : start + count])
        workers = [self.worker(pending) for _ in range(CONCURRENCY)]
        return sum(await asyncio.gather(*workers))

    async def worker(self, pending):
        failed = 0
        for subscription in pending:
            try:
                await webpush_async(
                    subscription,
                    self.config["payload"],
                    vapid_private_key=self.key,
                    vapid_claims={"sub": self.config["subject"]},
                    ttl=self.config["ttl"],
                    aiohttp_session=self.session,
                )
            except Exception as error:
                failed += 1
                print(error, file=sys.stderr)
        return failed


async def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        config = json.load(file)
    tls = ssl.create_default_context(cafile=config["ca"])
    connector = aiohttp.TCPConnector(limit=CONCURRENCY, ssl=tls)
    async with aiohttp.ClientSession(connector=connector) as session:
        sender = Sender(config, session)
        print("ready", flush=True)
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            start, count = map(int, line.split())
            print("sent", count, await sender.send(start, count), flush=True)


asyncio.run(main())
