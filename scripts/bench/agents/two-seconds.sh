#!/bin/sh
# Works for two seconds and says done by a sigil. Changes a file of its own.
cat > /dev/null
sleep 2
echo "$RALPH_SESSION_ID" > "made-$RALPH_SESSION_ID.txt"
echo '<TASK_DONE>'
