# SPDX-License-Identifier: Apache-2.0
"""Calls each tool of `trace-report mcp` with the client of PyPI's `mcp`: mcp_client.py TOOL LOG DATABASE."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

tool, log, database = sys.argv[1:]
folder = os.path.dirname(log)
NAMES = ["findings", "statement", "plan", "advise", "locks", "gate", "prove"]


def field(result, *names):
    """Version 1 of the client has camel case, version 2 has underscores."""
    return next(getattr(result, name) for name in names if hasattr(result, name))


async def main():
    parameters = StdioServerParameters(command=tool, args=["mcp"], cwd=folder)
    async with stdio_client(parameters) as (reader, writer), ClientSession(reader, writer) as session:
        await session.initialize()
        await session.send_ping()
        listed = await session.list_tools()
        assert [tool.name for tool in listed.tools] == NAMES, listed

        async def call(name, **arguments):
            result = await session.call_tool(name, arguments)
            assert not field(result, "is_error", "isError"), (name, result)
            content = field(result, "structured_content", "structuredContent")
            assert json.loads(result.content[0].text) == content, name
            assert "marked" not in result.content[0].text, name
            return content

        findings = await call("findings", input=log, budget=1000)
        statement = findings["findings"][0]["statement"]
        assert (await call("statement", input=log, statement=statement))["statement"]["id"] == statement
        plans = await call("plan", input=log, database=database, statement=statement)
        assert [plan["id"] for plan in plans["statements"]] == [statement], plans
        await call("advise", input=log, database=database)
        assert (await call("locks", database=database))["writers"] == []
        assert (await call("prove", before=log, after=log))["verdict"] == "inconclusive"

        missing = await session.call_tool("gate", {"input": log, "baseline": "none.json"})
        assert field(missing, "is_error", "isError"), missing
        # Calls run side by side.
        results = await asyncio.gather(*(call("findings", input=log) for _ in range(8)))
        assert all(result == results[0] for result in results)


asyncio.run(main())
