#!/bin/sh
# Works for a second and says done by a sigil. A task that names the shared file appends to it, any other writes a file of its own.
if grep -q '^## Your task: .*shared part'; then file=shared.txt; else file=own-$RALPH_SESSION_ID.txt; fi
sleep 1
echo "$RALPH_SESSION_ID" >> "$file"
echo '<TASK_DONE>'
