import { applyDefinitions } from '../../src/queue/definitions/apply-definitions.ts';
import type { Queue } from '../../src/queue/queue.ts';

type Size = {
  tasks: number;
  features: number /** Called once a feature: the document that its tasks are given. */;
  document?: (name: string) => void;
};

/** Tasks spread evenly over features; each waits for the one before it in its feature. */
export async function largeProject(queue: Queue, { tasks, features, document }: Size): Promise<void> {
  const a = Math.ceil(tasks / features);
  const nameOf = (id: number): string => `feature-${Math.floor((id - 1) / a)}`;
  const names = Array.from({ length: features }, (_, index) => `feature-${index}`);
  for (const name of names) document?.(name);
  await applyDefinitions(
    queue,
    {
      project: { title: 'Large' },
      disciplines: [
        {
          at: 'd',
          name: 'backend',
          fields: { system_prompt: 'You are a backend engineer.', skills: ['SQL'] },
        },
      ],
      features: names.map((name) => ({
        at: 'f',
        name,
        fields: { description: `About ${name}.`, knowledge_paths: [`docs/${name}.md`] },
      })),
      tasks: Array.from({ length: tasks }, (_, index) => ({
        at: 't',
        id: index + 1,
        fields: {
          title: `Build part ${index + 1} of ${nameOf(index + 1)}`,
          feature: nameOf(index + 1),
          discipline: 'backend',
          description:
            'It takes a request, checks it, writes a row and answers. Errors are told to the caller in a sentence. '.repeat(
              3,
            ),
          acceptance_criteria: ['The row is there', 'A wrong request changes nothing'],
        },
        depends_on: index % a === 0 ? [] : [index],
        state: {},
      })),
      learnings: [],
    },
    'import',
  );
}
