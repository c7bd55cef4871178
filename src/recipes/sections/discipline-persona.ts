import { longName } from '../../domain/tasks/badge.ts';
import { line, list, optional, prose, under } from '../../domain/text/markdown.ts';
import type { Section } from '../recipe.ts';

export const disciplinePersona: Section = {
  name: 'discipline_persona',
  question: 'Who am I, what standards do I follow, and what tools do I have?',
  source: 'discipline: display_name, icon, acronym, system_prompt, skills, conventions, mcp_servers',
  render: ({ discipline, servers }) => {
    if (discipline === null) return null;
    const title = line(longName(discipline));
    return under(
      `## You are: ${title}`,
      optional(discipline.system_prompt),
      discipline.skills.length === 0 ? null : under('### Your skills', list(discipline.skills)),
      optional(discipline.conventions, (text) => `### Your conventions\n\n${prose(text)}`),
      servers.length === 0
        ? null
        : `### Your tools\n\nBesides Ralph's, this session has these MCP servers: ${servers.map((name) => `\`${line(name)}\``).join(', ')}. One without tools did not start.`,
    );
  },
};
