#!/usr/bin/env bash
# The least of an agent: it writes a file, says `done` over MCP, and notes when it began and when it ended.
# argv: where to note it, then the command of the relay.
notes=$1
shift
echo "$EPOCHREALTIME" >>"$notes"
echo "$RALPH_SESSION_ID" >"work-$RALPH_SESSION_ID.txt"
entry() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$RALPH_MCP_CONFIG"; }
RALPH_SOCKET=$(entry RALPH_SOCKET) RALPH_TOKEN=$(entry RALPH_TOKEN)
export RALPH_SOCKET RALPH_TOKEN
coproc server { exec "$@" 2>/dev/null; }
server_pid=$server_PID
say() { printf '%s\n' "$1" >&"${server[1]}"; }
hear() { while IFS= read -r line <&"${server[0]}" && [[ $line != *"\"id\":$1"* ]]; do :; done; }
say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"instant","version":"1"}}}'
hear 1
say '{"jsonrpc":"2.0","method":"notifications/initialized"}'
say '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"done","arguments":{"summary":"Built."}}}'
hear 2
eval "exec ${server[1]}>&-"
wait "$server_pid"
echo "$EPOCHREALTIME" >>"$notes"
