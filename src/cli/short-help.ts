/** Printed by `ralph` alone: what a newcomer needs, in the order they need it. */
export const SHORT_HELP = `Ralph finishes a backlog: one fresh agent a task, gates that prove each done.

  ralph init               set Ralph up in this repository
  ralph add Fix the login  add a task; ralph plan makes tasks of specifications
  ralph run                work on the queue until nothing is ready
  ralph status             see the state of the queue, and what needs you
  ralph list               list the tasks
  ralph show 7             see everything about a task
  ralph why 7              see why a task waits
  ralph log                see what agents did
  ralph answer 2           answer an agent's question
  ralph retry 3            queue a failed task again
  ralph ui                 see all of this in the browser
  ralph doctor             check that everything Ralph needs is in order

ralph --help lists every command, ralph COMMAND --help explains one.
`;
