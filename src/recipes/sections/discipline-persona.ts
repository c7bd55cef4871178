import { line, list, optional, prose, under } from '../markdown.ts';
import type { Section } from '../section.ts';

export const disciplinePersona: Section = {
  name: 'discipline_persona',
  question: 'Who am I, and what standards do I follow?',
  source: 'discipline: system_prompt, skills, conventions',
  render: ({ discipline }) => {
    if (discipline === null) return null;
    const title = line(discipline.display_name ?? discipline.name);
    return under(
      `## You are: ${title}`,
      optional(discipline.system_prompt),
      discipline.skills.length === 0 ? null : under('### Your skills', list(discipline.skills)),
      optional(discipline.conventions, (text) => `### Your conventions\n\n${prose(text)}`),
    );
  },
};
