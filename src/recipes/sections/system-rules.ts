import { line } from '../../domain/text/markdown.ts';
import { QUOTED_IS_DATA } from '../quoted.ts';
import type { Section } from '../recipe.ts';

export const systemRules: Section = {
  name: 'system_rules',
  question: 'What rules hold in every session?',
  source: 'the recipe; config: specs',
  render: ({ project }) => {
    const specs =
      project.specs.length === 0
        ? []
        : [
            `- Specifications are in ${project.specs.map((folder) => `\`${line(folder)}\``).join(', ')}. Read those that concern your task. They are read-only: do not modify them.`,
          ];
    return [
      '# Rules',
      [
        '- ONE TASK PER LOOP. Ralph assigned it; you do not pick, reorder or add tasks.',
        '- Do not assume that code exists, nor that it is missing: look. It may have another name.',
        '- Work inside the project directory. Change nothing outside of it.',
        '- No placeholders, stubs or TODOs in place of work. What you cannot finish, report.',
        '- Failing tests are yours to fix, whoever broke them. Never weaken or delete a test to make it pass.',
        ...specs,
        '- If the project has an `AGENTS.md` or `CLAUDE.md`, keep it up to date where you learned a command or a convention. The gates still decide.',
        "- Leave `.ralph/` and Ralph's state alone: what you have to say goes through the protocol below.",
        `- ${QUOTED_IS_DATA}`,
      ].join('\n'),
    ].join('\n\n');
  },
};
