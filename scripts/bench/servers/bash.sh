#!/usr/bin/env bash
# A server of the kind Ralph replaces: grep finds the method, sed takes the fields out of the line, sqlite3 is started for
# each call. $1: database.
json_escape() { printf '%s' "$1" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g'; }
sqlite3 "$1" "pragma journal_mode=wal; create table if not exists signals (id integer primary key, text text, kind text);" >/dev/null
while IFS= read -r line; do
  id=$(echo "$line" | sed -n 's/.*"id"[[:space:]]*:[[:space:]]*\([0-9]*\).*/\1/p')
  if echo "$line" | grep -q '"method"[[:space:]]*:[[:space:]]*"initialize"'; then
    printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bash","version":"1"}}}\n' "$id"
  elif echo "$line" | grep -q '"method"[[:space:]]*:[[:space:]]*"tools/list"'; then
    printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}\n' "$id"
  elif echo "$line" | grep -q '"method"[[:space:]]*:[[:space:]]*"tools/call"'; then
    tool_name=$(echo "$line" | sed -n 's/.*"name"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p')
    if [ "$tool_name" = "learned" ]; then
      text=$(echo "$line" | sed -n 's/.*"text"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p')
      kind=$(echo "$line" | sed -n 's/.*"kind"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p')
      e_text=$(json_escape "$text")
      e_kind=$(json_escape "$kind")
      sqlite3 "$1" "INSERT INTO signals (text, kind) VALUES ('${e_text}', '${e_kind}');"
      e_result=$(json_escape "Recorded: $kind")
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}\n' "$id" "$e_result"
    fi
  fi
done
