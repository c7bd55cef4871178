#!/usr/bin/env bash
# An agent that costs nothing: it writes a file and has its `done` recorded by whoever listens on this port.
# argv: where to note when it began, the port.
echo "$EPOCHREALTIME" >>"$1"
echo "$RALPH_SESSION_ID" >"work-$RALPH_SESSION_ID.txt"
exec 3<>"/dev/tcp/127.0.0.1/$2"
echo "$RALPH_SESSION_ID" >&3
read -r _ <&3
