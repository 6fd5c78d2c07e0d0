"""A whole conversation by the official Python client: argv is the server, standard input the
calls, standard output what came back."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def fields(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def main():
    calls = json.load(sys.stdin)
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:], env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        greeting = fields(await session.initialize())
        tools = fields(await session.list_tools())["tools"]
        results = [
            fields(await session.call_tool(call["name"], call["arguments"])) for call in calls
        ]
    json.dump({"greeting": greeting, "tools": tools, "results": results}, sys.stdout)


asyncio.run(main())
