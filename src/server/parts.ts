// The modules that the server does not need to greet a client. `load-parts.ts` imports them together.

export { changesSince, lastChange } from '../queue/changes.ts';
export { showSession } from '../queue/sessions/sessions.ts';
export { list } from '../queue/tasks/list.ts';
export { show } from '../queue/tasks/show.ts';
export { RECIPES } from '../recipes/index.ts';
export { RESOURCES } from '../resources/index.ts';
export { matchUri } from '../resources/resource.ts';
export { INTERACTIVE_TOOLS, TOOLS } from '../tools/index.ts';
export { checkArguments } from './check-arguments.ts';
export { describeTool } from './describe-tool.ts';
