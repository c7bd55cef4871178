import { longName } from '../domain/tasks/badge.ts';
import { line, list, optional, prose, under } from '../domain/text/markdown.ts';
import { disciplineDetails } from '../queue/tasks/features.ts';
import { listAllDisciplines } from '../queue/tasks/list.ts';
import type { ResourceFamily } from './resource.ts';
import { requireName } from './resource.ts';

export const discipline: ResourceFamily = {
  name: 'discipline',
  title: 'Discipline',
  description: 'How work is done in one discipline: persona, skills, conventions',
  uri: 'ralph://disciplines/{name}',
  complete: { name: async ({ queue }) => (await listAllDisciplines(queue)).map(({ name }) => name) },
  list: async ({ queue }, after, limit, scope) =>
    (await listAllDisciplines(queue))
      .filter(({ name }) => (after === null || name > after) && (scope === null || scope.discipline === name))
      .slice(0, limit)
      .map(({ name, display_name, skills }) => ({
        key: name,
        uri: `ralph://disciplines/${encodeURIComponent(name)}`,
        title: `Discipline: ${display_name ?? name}`,
        description: skills.length === 0 ? 'how its work is done' : line(skills.slice(0, 5).join(', ')),
      })),
  read: async ({ queue }, variables) => {
    const one = await disciplineDetails(queue, requireName(variables));
    return {
      text: `${under(
        `# ${line(longName(one))}`,
        optional(one.system_prompt, prose),
        one.skills.length === 0 ? null : `## Skills\n\n${list(one.skills)}`,
        optional(one.conventions, (text) => `## Conventions\n\n${prose(text)}`),
        // Names only: arguments and environment may hold secrets.
        one.mcp_servers.length === 0
          ? null
          : `## MCP servers\n\n${list(one.mcp_servers.map(({ name }) => name))}`,
        one.agent === null ? null : `Agent: ${line(one.agent)}`,
        one.model === null ? null : `Model: ${line(one.model)}`,
        one.effort === null ? null : `Effort: ${one.effort}`,
        one.color === null ? null : `Color: ${line(one.color)}`,
      )}\n`,
    };
  },
  isChangedBy: ({ kind }) => kind.startsWith('discipline.'),
};
