#!/bin/sh
# Passes a hook of Claude Code on to Ralph, and only where Ralph has something to do: npx takes a second.
[ -d "${CLAUDE_PROJECT_DIR:-.}/.ralph" ] || exit 0
input=$(cat)
if [ "$1" = stop ]; then
  transcript=$(printf '%s' "$input" | sed -n 's/.*"transcript_path" *: *"\([^"]*\)".*/\1/p')
  grep -q '__next_task"' "$transcript" 2>/dev/null || exit 0
fi
# A hook that fails must not stop the person's work: Claude Code would take exit code 2 for a veto.
printf '%s' "$input" | npx -y ralph-mcp hook "$1" || exit 0
