// Everything that a client which only says hello does not wait for. Loaded as one, by `load-parts.ts`.

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
